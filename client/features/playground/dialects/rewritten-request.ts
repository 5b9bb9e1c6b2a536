/** The next request in the selected dialect. Chat is the playground's own; the server converts to the others. */
import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js'
import { noLongerNeeded } from '#client/api/abort-reason.ts'
import { ApiError } from '#client/api/http.ts'
import { previewIn } from '#client/api/preview.ts'
import type { ChatBody } from '#client/features/playground/reply/request-body.ts'
import { type OtherDialect, otherDialects } from '#shared/console/inspection/preview'
import type { LossRow } from '#shared/console/log'

/** Dialects a request can be shown in. */
export const previewDialects = ['chat', ...otherDialects] as const
/** A dialect in which a request can be shown. */
export type PreviewDialect = 'chat' | OtherDialect

/** The request in a dialect: loading, ready, refused by the dialect, or failed. */
export type RewrittenRequest =
  | { state: 'waiting' }
  | { state: 'ready'; dialect: PreviewDialect; body: Record<string, unknown>; losses: readonly LossRow[] }
  /** The dialect cannot express it: the field, and the server's reason. */
  | { state: 'refused'; field: string; reason: string }
  | { state: 'failed'; code: string }

/** Debounce while a slider moves, milliseconds. */
const pauseMs = 120

/** Rewrites the request when body or dialect change. Parley's own fields are left out, because a key determines group and payer. */
export function createRewrittenRequest(
  body: Accessor<ChatBody | undefined>,
  dialect: Accessor<PreviewDialect>,
): Accessor<RewrittenRequest> {
  const [rewritten, setRewritten] = createSignal<RewrittenRequest>({ state: 'waiting' })
  createEffect((before: PreviewDialect | undefined) => {
    const asked = body()
    const wanted = dialect()
    if (asked === undefined) return wanted
    const { group: _, team: __, ...sent } = asked
    if (wanted === 'chat') {
      setRewritten({ state: 'ready', dialect: wanted, body: sent, losses: [] })
      return wanted
    }
    // The old text stays until the new one arrives, unless the dialect changed.
    if (before !== wanted) setRewritten({ state: 'waiting' })
    const abort = new AbortController()
    const timer = setTimeout(() => void ask(sent, wanted, abort.signal), before === wanted ? pauseMs : 0)
    onCleanup(() => {
      clearTimeout(timer)
      abort.abort(noLongerNeeded)
    })
    return wanted
  })

  async function ask(sent: Omit<ChatBody, 'group' | 'team'>, wanted: OtherDialect, signal: AbortSignal): Promise<void> {
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
