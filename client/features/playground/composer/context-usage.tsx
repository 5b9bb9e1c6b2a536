import { createEffect, createMemo, createSignal, onCleanup, Show } from 'solid-js'
import type { Message } from '#client/features/playground/conversation/conversation.ts'
import { costOf } from '#client/features/playground/conversation/cost.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PlaygroundState } from '#client/features/playground/state/playground-state.ts'
import { estimateTokens, tokensPerMessage } from '#client/features/playground/text/estimate-tokens.ts'
import { formatCount, formatMoney } from '#client/ui/format.ts'

const warnAt = 0.8
const sliceMs = 6

/** The estimated share of the model's context that the next request takes, and the cost of the conversation. */
export function ContextUsage(props: { playground: PlaygroundState; draft: string; note: string | undefined }) {
  const { playground } = props
  const known = new WeakMap<Message, number>()
  const tokensOf = (message: Message) => {
    const before = known.get(message)
    if (before !== undefined) return before
    const tokens = estimateTokens(message.text) + tokensPerMessage
    known.set(message, tokens)
    return tokens
  }
  const [history, setHistory] = createSignal(0)
  createEffect(() => {
    const path = playground.path()
    let at = 0
    let sum = 0
    // A long conversation is counted in slices, after it is rendered.
    const slice = () => {
      const until = performance.now() + sliceMs
      for (; at < path.length && performance.now() < until; at += 1) sum += tokensOf(path[at] as Message)
      if (at < path.length) waiting = setTimeout(slice)
      else setHistory(sum)
    }
    let waiting = setTimeout(slice)
    onCleanup(() => clearTimeout(waiting))
  })
  const total = () => history() + estimateTokens(props.draft) + estimateTokens(playground.conversation().settings.system)
  const limit = () => {
    const of = playground.target()
    return of ? (playground.catalogue.model(of.group, of.model)?.contextTokens ?? null) : null
  }
  const share = () => total() / (limit() ?? Number.POSITIVE_INFINITY)
  const spent = createMemo(() => {
    const { id, deletedCost } = playground.conversation()
    return costOf(playground.library.thread(id).thread.all(), deletedCost)
  })
  return (
    <div class="under" classList={{ says: props.note !== undefined || share() >= warnAt }}>
      <Show when={props.note}>
        <span class="text-warn">{props.note}</span>
      </Show>
      <Show
        when={props.note === undefined && limit()}
        fallback={props.note === undefined && <span title={t('isEstimate')}>{t('aboutTokens', { count: total() })}</span>}
      >
        {(most) => (
          <span class="flex items-center gap-2" title={t('isEstimate')}>
            <span class="bar" classList={{ full: share() >= warnAt }} style={{ '--share': Math.min(1, share()) }}>
              <i />
            </span>
            {t('aboutTokensOf', { count: total(), limit: formatCount(most()) })}
            <Show when={share() >= warnAt}>
              <span class="text-warn">{share() > 1 ? t('contextFull') : t('contextNearlyFull')}</span>
            </Show>
          </span>
        )}
      </Show>
      <span class="flex-1" />
      <Show when={spent()} fallback={<span class="keys-hint">{t('keysHint')}</span>}>
        {(cost) => <span title={formatMoney(cost(), true)}>{t('spentHere', { cost: formatMoney(cost()) })}</span>}
      </Show>
    </div>
  )
}
