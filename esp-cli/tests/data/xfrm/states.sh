modprobe -d /run/m -a ipv6 xfrm_user esp4 esp6 ah4 ah6; ip link set lo up
k(){ head -c $1 /dev/urandom | busybox xxd -p -c 999 | sed 's/^/0x/'; }
a='src 192.0.2.1 dst 192.0.2.2 proto esp'; b='src 192.0.2.2 dst 192.0.2.1 proto esp'; c='src 2001:db8::1 dst 2001:db8::2 proto esp'
ip xfrm state add $a spi 0xc001 reqid 1 mode tunnel aead 'rfc4106(gcm(aes))' $(k 20) 128
ip xfrm state add $b spi 0xc002 reqid 1 mode tunnel replay-window 32 aead 'rfc4106(gcm(aes))' $(k 36) 128
ip xfrm state add $a spi 0xc003 mode tunnel flag esn replay-window 128 replay-oseq 0xfffffff0 replay-oseq-hi 0x7 aead 'rfc4106(gcm(aes))' $(k 20) 128
ip xfrm state add $b spi 0xc004 mode tunnel flag esn replay-window 4096 replay-seq 0x10 replay-seq-hi 0x7 aead 'rfc4106(gcm(aes))' $(k 20) 128
ip xfrm state add $c spi 0xc005 mode transport aead 'rfc7539esp(chacha20,poly1305)' $(k 36) 128 sel src 2001:db8::1/128 dst 2001:db8::2/128 proto udp sport 53
ip xfrm state add $a spi 0xc006 mode tunnel encap espinudp 4500 4501 0.0.0.0 aead 'rfc4106(gcm(aes))' $(k 28) 128
ip xfrm state add $c spi 0xc007 mode tunnel encap espinudp 4500 4500 :: enc 'ecb(cipher_null)' '' auth-trunc 'hmac(sha256)' $(k 32) 128
ip xfrm state add $a spi 0xc008 mode tunnel enc 'cbc(aes)' $(k 16) auth-trunc 'hmac(sha256)' $(k 32) 96
ip xfrm state add $a spi 0xc009 mode tunnel enc 'cbc(aes)' $(k 32) auth 'hmac(sha1)' $(k 20)
ip xfrm state add $a spi 0xc00a mode tunnel tfcpad 1400 flag noecn flag decap-dscp flag af-unspec extra-flag dont-encap-dscp limit packet-soft 5 limit packet-hard 10 limit byte-soft 1000 output-mark 0x1 if_id 7 mark 0x10 mask 0xff aead 'rfc4106(gcm(aes))' $(k 20) 64
ip xfrm state add $a spi 0xc00b mode beet aead 'rfc4543(gcm(aes))' $(k 20) 128
ip xfrm state add src 192.0.2.1 dst 192.0.2.2 proto ah spi 0xc00c mode tunnel auth-trunc 'hmac(sha256)' $(k 32) 128
ip xfrm state add $c spi 0xc00d mode transport enc 'rfc3686(ctr(aes))' $(k 20) auth-trunc 'cmac(aes)' $(k 16) 96
echo =====PLAIN; ip xfrm state; echo =====STAT; ip -s xfrm state; echo =====NOKEYS; ip xfrm state nokeys 2>&1 | head -8; echo =====END
