//! ESP, UDP and IP on the wire: header views, the ESP trailer, checksums, DSCP and ECN.
