/** Records the frames of sockets whose session may be stored. */
import type { FrameSocket, SocketFrame } from '#runtime/contract/sockets'

/** The same socket; the frames sent to it are recorded. */
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
