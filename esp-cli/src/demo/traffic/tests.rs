use super::*;
use esp_wire::Ip;

const SERIAL: Serial = Serial { worker: 3, number: 6 };

fn packet(traffic: &Traffic, serial: Serial) -> Vec<u8> {
    let mut data = vec![0xee; traffic.len(serial)];
    traffic.write(serial, &mut data);
    data
}

#[test]
fn imix_is_seven_four_one() {
    let of = |len| Mix::Imix.lens().iter().filter(|have| **have == len).count();
    assert_eq!((of(64), of(576), of(1420)), (7, 4, 1));
}

#[test]
fn packets_are_ipv4_of_their_length() {
    for mix in [Mix::Imix, Mix::Small] {
        let traffic = Traffic::new(mix);
        for number in 0..2000 {
            let serial = Serial { worker: 1, number };
            let data = packet(&traffic, serial);
            let Ok(Ip::V4(ip)) = Ip::parse(&data) else { panic!("packet {number} is no IPv4") };
            assert_eq!(ip.total_len(), data.len());
            assert!(ip.checksum_ok() && traffic.is(serial, &data));
        }
    }
}

#[test]
fn any_turned_bit_and_any_other_packet_is_seen() {
    let traffic = Traffic::new(Mix::Imix);
    let mut data = packet(&traffic, SERIAL);
    assert_eq!(data.len(), 1420);
    for at in 0..data.len() {
        data[at] ^= 0x10;
        assert!(!traffic.is(SERIAL, &data), "byte {at}");
        assert!(traffic.difference(SERIAL, &data).starts_with(&format!("byte {at} is")));
        data[at] ^= 0x10;
    }
    assert!(traffic.is(SERIAL, &data));
    assert!(!traffic.is(Serial { worker: 4, ..SERIAL }, &data));
    assert!(!traffic.is(Serial { number: SERIAL.number + 12 * SHIFTS, ..SERIAL }, &data));
    for len in [0, FRONT - 1, FRONT + STAMP - 1, 1419] {
        assert!(!traffic.is(SERIAL, &data[..len]), "{len} bytes");
    }
    assert!(traffic.difference(SERIAL, &data[..9]).contains("9 bytes long instead of 1420"));
}
