/** The next request in the dialect that a person wants to see it in. Chat is the playground's own; the rest the server writes. */
import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js'
import { ApiError } from '#client/api/http.ts'
import { previewIn } from '#client/api/preview.ts'
import type { ChatBody } from '#client/features/playground/reply/request-body.ts'
import type { LossRow } from '#shared/console/log'
import { type OtherDialect, otherDialects } from '#shared/console/preview'

export const previewDialects = ['chat', ...otherDialects] as const
export type PreviewDialect = 'chat' | OtherDialect

export type RewrittenRequest =
  | { state: 'waiting' }
  | { state: 'ready'; dialect: PreviewDialect; body: Record<string, unknown>; losses: readonly LossRow[] }
  /** The dialect cannot say it: which field, and why, in the server's words. */
  | { state: 'refused'; field: string; reason: string }
  | { state: 'failed'; code: string }

/** While a slider moves, one request says what ten would. */
const pauseMs = 120

/** Follows the body and the dialect; Parley's own field `group` is left out, because a key has its group. */
export function createRewrittenRequest(
  body: Accessor<ChatBody | undefined>,
  dialect: Accessor<PreviewDialect>,
): Accessor<RewrittenRequest> {
  const [rewritten, setRewritten] = createSignal<RewrittenRequest>({ state: 'waiting' })
  createEffect((before: PreviewDialect | undefined) => {
    const asked = body()
    const wanted = dialect()
    if (asked === undefined) return wanted
    const { group: _, ...sent } = asked
    if (wanted === 'chat') {
      setRewritten({ state: 'ready', dialect: wanted, body: sent, losses: [] })
      return wanted
    }
    // What is shown stays until its successor is there, unless it is in another dialect.
    if (before !== wanted) setRewritten({ state: 'waiting' })
    const abort = new AbortController()
    const timer = setTimeout(() => void ask(sent, wanted, abort.signal), before === wanted ? pauseMs : 0)
    onCleanup(() => {
      clearTimeout(timer)
      abort.abort()
    })
    return wanted
  })

  async function ask(sent: Omit<ChatBody, 'group'>, wanted: OtherDialect, signal: AbortSignal): Promise<void> {
    try {
      const answer = await previewIn(wanted, sent, signal)
      if (!signal.aborted) setRewritten({ state: 'ready', dialect: wanted, ...answer })
    } catch (thrown) {
      if (!signal.aborted) setRewritten(failure(thrown))
    }
  }
  return rewritten
}

function failure(thrown: unknown): RewrittenRequest {
  if (!(thrown instanceof ApiError)) return { state: 'failed', code: 'client_error' }
  const { code, param, message } = thrown
  return code === 'unsupported_value' ? { state: 'refused', field: param ?? '', reason: message } : { state: 'failed', code }
}
