/** WebSockets whose turns are requests: what a process that shuts down must end. */

/** Those of this process. */
export interface OpenSockets {
  /** Call what it returns once the connection is gone. */
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
