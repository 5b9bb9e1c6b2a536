/** A session that may be kept: the same session, and the frames of its client are noted. */
import type { Capture } from '#bodies/capture'
import { notedSocket } from './noted-socket.ts'
import type { Session } from './session.ts'

/** The same session; the client's frames of both directions are noted. */
export function notedSession(session: Session, capture: Capture): Session {
  return {
    opened: (socket) => session.opened(notedSocket(socket, (frame) => capture.answeredFrame(frame))),
    message(frame) {
      capture.askedFrame(frame)
      session.message(frame)
    },
    drained: () => session.drained(),
    closed: (code, reason) => session.closed(code, reason),
    abandon: () => session.abandon(),
    drain: () => session.drain(),
    cut: () => session.cut(),
  }
}
