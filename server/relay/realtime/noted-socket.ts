/** Sockets of sessions that may be kept. */
import type { FrameSocket, SocketFrame } from '#runtime/contract/sockets'

/** The same socket; what it takes is noted. */
export function notedSocket(socket: FrameSocket, note: (frame: SocketFrame) => void): FrameSocket {
  return {
    send(frame) {
      const isTaken = socket.send(frame)
      if (isTaken) note(frame)
      return isTaken
    },
    buffered: () => socket.buffered(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: (code, reason) => socket.close(code, reason),
  }
}
