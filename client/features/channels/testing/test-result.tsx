import { Match, Show, Switch } from 'solid-js'
import { Status } from '#client/ui/console/status.tsx'
import { formatDuration } from '#client/ui/console/time.ts'
import { formatMoney } from '#client/ui/format.ts'
import { t } from './messages.ts'
import type { Test } from './tests.ts'

/** The state or outcome of a test. A click opens its result. */
export function TestResult(props: { name: string; test: Test; onOpen?: (() => void) | undefined }) {
  const ended = () => {
    const { ms = 0, answer } = props.test
    const { firstTokenMs, cost } = answer?.detail ?? {}
    const time = firstTokenMs == null ? t('answeredIn', { time: formatDuration(ms) }) : t('firstIn', { time: formatDuration(firstTokenMs) })
    return [time, cost == null ? '' : formatMoney(cost)].filter(Boolean).join(', ')
  }
  const failed = () => [props.test.answer?.status, props.test.problem].filter(Boolean).join(' ')
  return (
    <Switch>
      <Match when={props.test.state === 'waiting'}>
        <span class="text-ink-3">{t('waiting')}</span>
      </Match>
      <Match when={props.test.state === 'asking'}>
        <Status shape="live">
          <span class="num">{t('asking', { time: formatDuration(props.test.ms ?? 0) })}</span>
        </Status>
      </Match>
      <Match when={true}>
        <Status shape={props.test.state === 'ok' ? 'ok' : 'bad'}>
          <Show when={props.onOpen && props.test.answer} fallback={<Words text={props.test.state === 'ok' ? ended() : failed()} />}>
            <button
              type="button"
              class="text-left underline decoration-dotted underline-offset-3 hover:text-accent"
              title={t('open', { name: props.name })}
              onClick={() => props.onOpen?.()}
            >
              <Words text={props.test.state === 'ok' ? ended() : failed()} />
            </button>
          </Show>
        </Status>
      </Match>
    </Switch>
  )
}

const Words = (props: { text: string }) => <span class="num whitespace-normal">{props.text}</span>
