/**
 * The replies that are running now, in all conversations, whichever is open. Each has a signal that is throttled to frames
 * however fast tokens arrive. Text is saved a few times a second, so that a reload loses little; the end is saved at once.
 */
import { type Accessor, createSignal } from 'solid-js'
import { noLongerNeeded } from '#client/api/abort-reason.ts'
import { readLog } from '#client/api/logs.ts'
import { hasContent, type Reply } from '#client/features/playground/conversation/conversation.ts'
import { runReply } from './run-reply.ts'
import { throttleToFrames } from './throttle-to-frames.ts'
import { createTrace, type Trace } from './trace.ts'

interface Running {
  view: Accessor<Reply>
  abort: AbortController
  latest: Reply
  /** The page is closing. */
  abandoned: boolean
}

/** Runs replies and gives access to them while they run. */
export interface RunningReplies {
  /** The reply as it is now while it runs, else undefined. Tracks. */
  running(id: string): Reply | undefined
  /** Whether this tab is running it. Does not track. */
  has(id: string): boolean
  /** Whether this page has run it. Does not track. */
  ranHere(id: string): boolean
  /** Ids of running replies. Tracks. */
  ids: Accessor<ReadonlySet<string>>
  /** Runs `reply` with the request `body` (JSON text); resolves with the reply in its final state, never rejects. */
  start(reply: Reply, body: string): Promise<Reply>
  /** Keeps what has arrived and closes the connection. */
  stop(id: string): void
  /** The recorded request and events of a reply that ran on this page. Tracks. */
  trace(id: string): Trace | undefined
  /** Saves every running reply as interrupted and aborts it: the page is closing. */
  abandon(): void
}

const savePauseMs = 400
const keptTraces = 12

/** A runner that calls `save` with a reply at its start, now and then while it runs, and at its end. */
export function createRunningReplies(save: (reply: Reply) => void): RunningReplies {
  const runs = new Map<string, Running>()
  const ran = new Set<string>()
  const traces = new Map<string, { trace: Trace; revision: Accessor<number> }>()
  const [ids, setIds] = createSignal<ReadonlySet<string>>(new Set())
  const now = () => performance.now()

  const watch = (id: string) => {
    const [revision, setRevision] = createSignal(0)
    const { commit } = throttleToFrames(() => setRevision((before) => before + 1))
    const { trace, observer } = createTrace(now, commit)
    traces.set(id, { trace, revision })
    for (const old of traces.keys()) {
      if (traces.size > keptTraces && !runs.has(old)) traces.delete(old)
    }
    return observer
  }

  return {
    ids,
    has: (id) => runs.has(id),
    ranHere: (id) => ran.has(id),
    running: (id) => (ids().has(id) ? runs.get(id)?.view() : undefined),
    async start(reply, body) {
      const [view, setView] = createSignal(reply)
      const run: Running = { view, abort: new AbortController(), latest: reply, abandoned: false }
      runs.set(reply.id, run)
      ran.add(reply.id)
      setIds(new Set(runs.keys()))
      save(reply)
      // The first content is saved at once, later content at intervals.
      let savedAt = Number.NEGATIVE_INFINITY
      let saved = reply
      const frames = throttleToFrames(() => setView(run.latest))
      const ended = await runReply(reply, {
        body,
        signal: run.abort.signal,
        observer: watch(reply.id),
        now,
        onChange(changed) {
          // The abort of an abandoned run must not overwrite `interrupted`: the page may close before that is corrected.
          if (run.abandoned) return
          run.latest = changed
          frames.commit()
          const first = hasContent(changed) && !hasContent(saved)
          if (!first && now() - savedAt < savePauseMs) return
          savedAt = now()
          saved = changed
          save(changed)
        },
      })
      frames.cancel()
      const final: Reply = run.abandoned ? { ...ended, state: 'interrupted' } : ended
      save(final)
      runs.delete(reply.id)
      setIds(new Set(runs.keys()))
      return final
    },
    stop: (id) => runs.get(id)?.abort.abort(noLongerNeeded),
    trace(id) {
      ids()
      const kept = traces.get(id)
      kept?.revision()
      return kept?.trace
    },
    abandon() {
      for (const run of runs.values()) {
        run.abandoned = true
        save({ ...run.latest, state: 'interrupted' })
        run.abort.abort(noLongerNeeded)
      }
    },
  }
}

/** `reply` with usage and cost from the log; the same object when the log has no row. */
export async function withLoggedUsage(reply: Reply): Promise<Reply> {
  // An aborted reply is settled a moment after its end.
  const pauses = reply.state === 'complete' ? undefined : [500, 1500, 3000]
  const row = reply.requestId === null ? null : await readLog(reply.requestId, pauses).catch(() => null)
  if (!row) return reply
  return { ...reply, usage: row.usage, cost: row.cost, firstTokenMs: reply.firstTokenMs ?? row.firstTokenMs }
}
