import { createMemo, createSignal, For, onCleanup, Show, untrack } from 'solid-js'
import type { Reply } from '#client/features/playground/conversation/conversation.ts'
import type { Settings, SliderName } from '#client/features/playground/conversation/settings.ts'
import { type MessageKey, t } from '#client/features/playground/messages/messages.ts'
import { Button } from '#client/ui/button.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { Icon } from '#client/ui/icon.tsx'
import { isDocumented } from '#shared/errors'
import { explainFailure, type NextStep } from './explain-failure.ts'

const parameterLabel: Record<SliderName, MessageKey> = {
  temperature: 'temperature',
  topP: 'topP',
  frequencyPenalty: 'frequencyPenalty',
  presencePenalty: 'presencePenalty',
  maxTokens: 'maxTokens',
}
const stepLabel: Record<NextStep, MessageKey> = {
  signIn: 'signInAgain',
  retry: 'retry',
  otherModel: 'otherModel',
  continue: 'continueReply',
  parameters: 'openParameters',
  newChat: 'startNewChat',
  lowerMax: 'lowerMax',
  turnOff: 'turnOffAndRetry',
  trim: 'trimAndRetry',
}

/** A failure in place of the reply: what happened, whether it was charged, and what to do next. */
export function FailurePanel(props: {
  reply: Reply
  settings: Settings
  latest: boolean
  /** Whether the session is still over: after signing in again that step is not offered. */
  signedOut: boolean
  /** Its request has older messages that can be left out. */
  canTrim: boolean
  onStep(step: NextStep, named: SliderName | null): void
}) {
  const failure = () => props.reply.failure
  const hasText = () => props.reply.text !== ''
  return (
    <Show when={failure()} keyed>
      {(failed) => {
        const meaning = explainFailure(failed, hasText(), (name) => untrack(() => props.settings[name].on))
        const left = createCountdown(meaning.wait === null ? null : failed.at + meaning.wait * 1000)
        const named = failed.param ? `${failed.code}: ${failed.param}` : failed.code
        const trims = untrack(() => props.canTrim)
        const isOver = () => failed.code === 'not_signed_in' && !props.signedOut
        const steps = () => meaning.steps.filter((step) => (step !== 'trim' || trims) && (step !== 'signIn' || !isOver()))
        const offers = createMemo(() =>
          steps().flatMap((step): { step: NextStep; named: SliderName | null }[] =>
            step === 'turnOff' ? meaning.named.map((named) => ({ step, named })) : [{ step, named: null }],
          ),
        )
        return (
          <div class={`notice failure ${hasText() ? 'warn' : 'bad'}`}>
            <Icon name="alert" />
            <div class="min-w-0">
              <h3 class="text-[14px]/[20px]">{t(meaning.title)}</h3>
              <Show when={meaning.quote && failed.message !== ''}>
                <p class="text-ink-2">{failed.message}</p>
              </Show>
              <Show when={isOver() ? null : meaning.detail} keyed>
                {(detail) => (
                  <p class="text-ink-2">{t(detail, { name: meaning.named.map((name) => t(parameterLabel[name])).join(', ') })}</p>
                )}
              </Show>
              <div class="mt-2.5 flex flex-wrap gap-2">
                <For each={offers().slice(0, 3)}>
                  {(offer, index) => {
                    const waits = () => offer.step === 'retry' && left() > 0
                    return (
                      <Button
                        look={index() === 0 && props.latest ? 'primary' : 'plain'}
                        aria-disabled={waits() ? 'true' : undefined}
                        onClick={() => !waits() && props.onStep(offer.step, offer.named)}
                      >
                        {waits()
                          ? t('retryIn', { count: left() })
                          : t(stepLabel[offer.step], offer.named ? { name: t(parameterLabel[offer.named]) } : {})}
                      </Button>
                    )
                  }}
                </For>
              </div>
              <p class="num mt-2 flex flex-wrap gap-x-4 text-[12px]/[16px] text-ink-3">
                <span>{charged(props.reply)}</span>
                <Show when={isDocumented(failed.code)} fallback={<span class="font-mono">{named}</span>}>
                  <a class="font-mono underline" href={`/docs?page=errors#error-${failed.code}`}>
                    {named}
                  </a>
                </Show>
                <Show when={failed.code === 'insufficient_quota'}>
                  <a class="underline" href="/usage">
                    {t('seeUsage')}
                  </a>
                </Show>
                <Show when={props.reply.requestId}>
                  {(id) => (
                    <a
                      class="font-mono underline"
                      href={`/requests/${encodeURIComponent(id())}`}
                      aria-label={t('openRequest', { id: id() })}
                    >
                      {id()}
                    </a>
                  )}
                </Show>
              </p>
            </div>
          </div>
        )
      }}
    </Show>
  )
}

/** Whether the failed request was charged, if known. */
function charged(reply: Reply): string {
  if (reply.cost !== null) return Number(reply.cost) === 0 ? t('notCharged') : t('chargedPart', { cost: formatMoney(reply.cost) })
  const isSent = (reply.failure?.status ?? 0) < 400 && !['offline', 'bad_settings'].includes(reply.failure?.code ?? '')
  return isSent ? t('chargeUnknown') : t('notCharged')
}

/** Whole seconds until `until`, counting down to 0. */
function createCountdown(until: number | null): () => number {
  const rest = () => (until === null ? 0 : Math.max(0, Math.ceil((until - Date.now()) / 1000)))
  const [left, setLeft] = createSignal(rest())
  if (left() > 0) {
    const timer = setInterval(() => {
      setLeft(rest())
      if (left() === 0) clearInterval(timer)
    }, 500)
    onCleanup(() => clearInterval(timer))
  }
  return left
}
