/** WebSockets whose turns are requests: a process that shuts down must end them. */

/** The open sockets of this process. */
export interface OpenSockets {
  /** Registers a session; call the result once the connection is closed. */
  add(session: { drain(): void }): () => void
  /** Ends each as soon as nothing runs on it. */
  drain(): void
}

/** None yet. */
export function createOpenSockets(): OpenSockets {
  const open = new Set<{ drain(): void }>()
  return {
    add(session) {
      open.add(session)
      return () => void open.delete(session)
    },
    drain() {
      for (const session of [...open]) session.drain()
    },
  }
}
