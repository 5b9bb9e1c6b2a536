/** For replies whose page was closed before their charge was known: loads it when their conversation is opened again. */
import { type Accessor, createEffect, createMemo, on, untrack } from 'solid-js'
import type { Library } from '#client/features/playground/conversation/library.ts'
import { type RunningReplies, withLoggedUsage } from '#client/features/playground/reply/running-replies.ts'

/** At most so many of the newest replies: rows of older ones may be gone. */
const mostAsked = 5

/** Adds the charge to replies of the open conversation that lack it and did not run on this page. */
export function settleLate(library: Library, replies: RunningReplies, opened: Accessor<string>): void {
  const asked = new Set<string>()
  const uncharged = createMemo(
    () => {
      const { thread, state } = library.thread(opened())
      if (state !== 'ready') return []
      const found = thread.all().flatMap((message) => {
        if (message.role !== 'assistant' || message.state === 'running' || message.requestId === null) return []
        return message.cost === null && !replies.ranHere(message.id) ? [message] : []
      })
      return found.slice(-mostAsked)
    },
    [],
    { equals: (a, b) => a.length === b.length && a.every((one, at) => one.id === b[at]?.id) },
  )
  createEffect(
    on(uncharged, (found) => {
      for (const reply of found) {
        if (asked.has(reply.id)) continue
        asked.add(reply.id)
        // An interrupted reply is settled a moment later.
        void withLoggedUsage({ ...reply, state: 'interrupted' }).then((known) => {
          if (known.cost === null) return
          const now = untrack(() => library.thread(reply.conversation).thread.get(reply.id))
          if (now?.role === 'assistant') library.put([{ ...now, usage: known.usage, cost: known.cost, firstTokenMs: known.firstTokenMs }])
        })
      }
    }),
  )
}
