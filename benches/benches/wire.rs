//! Reading and writing headers: `parse/ipv4`, `write/esp`, `trailer/write/2` (2 bytes of padding), `checksum/1420`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use esp_benches::inner_packet;
use esp_wire::{EspHeader, Ip, SeqLow, checksum, ipv4, ipv6, trailer};

fn wire(c: &mut Criterion) {
    parse(c);
    write(c);
    trailers(c);
    checksums(c);
}

fn parse(c: &mut Criterion) {
    let mut group = c.benchmark_group("parse");
    let v4 = inner_packet(64);
    group.bench_function("ipv4", |b| b.iter(|| Ip::parse(black_box(&v4)).map(|ip| ip.total_len())));
    let mut v6 = ipv6_header().write().to_vec();
    v6.resize(ipv6::HEADER_LEN + 24, 0);
    group.bench_function("ipv6", |b| b.iter(|| Ip::parse(black_box(&v6)).map(|ip| ip.total_len())));
    let esp = [7; 40];
    group.bench_function("esp", |b| b.iter(|| EspHeader::read(black_box(&esp))));
    group.finish();
}

fn write(c: &mut Criterion) {
    let mut group = c.benchmark_group("write");
    let v4 = ipv4::Ipv4Fields {
        tos: 0,
        total_len: 124,
        id: 1,
        dont_fragment: true,
        ttl: 64,
        protocol: 50,
        src: [192, 0, 2, 1],
        dst: [192, 0, 2, 2],
    };
    group.bench_function("ipv4", |b| b.iter(|| black_box(v4).write()));
    group.bench_function("ipv6", |b| b.iter(|| black_box(ipv6_header()).write()));
    let esp = EspHeader { spi: 0x1001, seq: SeqLow(7) };
    group.bench_function("esp", |b| b.iter(|| black_box(esp).write()));
    group.finish();
}

fn trailers(c: &mut Criterion) {
    let mut group = c.benchmark_group("trailer");
    for pad_len in [0_u8, 2, 15, 255] {
        let mut room = [0; 64 + 255 + trailer::TRAILER_LEN + 16];
        let end = 64 + usize::from(pad_len) + trailer::TRAILER_LEN;
        assert!(trailer::write(&mut room[64..end], 4) && trailer::read(&room[..end]).is_ok());
        group.bench_function(format!("write/{pad_len}"), |b| {
            b.iter(|| trailer::write(black_box(&mut room[64..end]), 4));
        });
        group.bench_function(format!("write-with-room/{pad_len}"), |b| {
            b.iter(|| trailer::write_with_room(black_box(&mut room[64..]), pad_len, 4));
        });
        group
            .bench_function(format!("read/{pad_len}"), |b| b.iter(|| trailer::read(black_box(&room[..end]))));
    }
    group.finish();
}

fn checksums(c: &mut Criterion) {
    let mut group = c.benchmark_group("checksum");
    for len in [20, 64, 1420] {
        let bytes = inner_packet(len.max(28));
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(len.to_string(), |b| b.iter(|| checksum::of(black_box(&bytes[..len]))));
    }
    group.finish();
}

fn ipv6_header() -> ipv6::Ipv6Fields {
    ipv6::Ipv6Fields {
        traffic_class: 0,
        flow_label: 0,
        payload_len: 24,
        next_header: 50,
        hop_limit: 64,
        src: [1; 16],
        dst: [2; 16],
    }
}

criterion_group!(benches, wire);
criterion_main!(benches);
