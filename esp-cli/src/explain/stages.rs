//! The stages of the walk, a file each: the values that a stage finds, how it finds them, and how it says them.

pub(crate) mod cipher;
pub(crate) mod esp;
pub(crate) mod frame;
pub(crate) mod icv;
pub(crate) mod inner;
pub(crate) mod ip;
pub(crate) mod policy;
pub(crate) mod replay;
pub(crate) mod sa;
pub(crate) mod trailer;
pub(crate) mod udp;

use super::story::Story;

/// A stage as people read it.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) name: &'static str,
    pub(crate) mark: Mark,
    /// One line each; long ones are wrapped later.
    pub(crate) lines: Vec<String>,
}

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// As it should be.
    Ok,
    /// The packet ends here, or would.
    Fail,
    /// Worth a look.
    Note,
}

impl Said {
    /// A stage with its first line.
    pub(crate) fn new(name: &'static str, mark: Mark, line: impl Into<String>) -> Self {
        Self { name, mark, lines: vec![line.into()] }
    }

    /// The same with another line.
    pub(crate) fn and(mut self, line: impl Into<String>) -> Self {
        self.lines.push(line.into());
        self
    }

    /// The same with another line, if there is one.
    pub(crate) fn and_if(mut self, line: Option<String>) -> Self {
        self.lines.extend(line);
        self
    }
}

/// Every stage that the packet got to, in their order.
pub(crate) fn all(story: &Story) -> Vec<Said> {
    let stages = [
        story.frame.as_ref().map(frame::Frame::said),
        story.ip.as_ref().map(ip::IpHeader::said),
        story.udp.as_ref().map(udp::Udp::said),
        story.esp.as_ref().map(esp::Esp::said),
        story.sa.as_ref().map(sa::Found::said),
        story.replay.as_ref().map(replay::Replay::said),
    ];
    let secret = [
        story.icv.as_ref().map(icv::Icv::said),
        story.trailer.as_ref().map(trailer::Trailer::said),
        story.inner.as_ref().map(inner::Inner::said),
        story.policy.as_ref().map(policy::Policy::said),
    ];
    let cipher = story.cipher.as_ref().map(cipher::Cipher::said).unwrap_or_default();
    stages.into_iter().flatten().chain(cipher).chain(secret.into_iter().flatten()).collect()
}

fn mark(right: bool) -> Mark {
    if right { Mark::Ok } else { Mark::Fail }
}
