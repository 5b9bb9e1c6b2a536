/** Records the client's frames of a session that may be stored. */
import type { Capture } from '#bodies/capture'
import { notedSocket } from './noted-socket.ts'
import type { Session } from './session.ts'

/** The same session; frames from and to the client are recorded. */
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
