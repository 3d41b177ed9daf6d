package bench

import (
	"net"

	"golang.org/x/sys/unix"
)

// quickAck turns delayed acknowledgements off for the next reads: a server that writes header and body apart would
// otherwise show a floor of 40 ms that is the kernel's, not its own.
func quickAck(conn net.Conn) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) { unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1) })
}
