import { For, Match, Show, Switch } from 'solid-js'
import type { ApiError } from '#client/api/http.ts'
import { type MessageKey, t } from '#client/features/playground/messages/messages.ts'
import type { PlaygroundState } from '#client/features/playground/state/playground-state.ts'
import { LogoMark } from '#client/ui/brand.tsx'
import { Button } from '#client/ui/button.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { Icon } from '#client/ui/icon.tsx'

const examples: readonly { title: MessageKey; note: MessageKey; prompt: MessageKey }[] = [
  { title: 'exampleTradeOff', note: 'exampleTradeOffNote', prompt: 'exampleTradeOffPrompt' },
  { title: 'exampleJson', note: 'exampleJsonNote', prompt: 'exampleJsonPrompt' },
  { title: 'exampleError', note: 'exampleErrorNote', prompt: 'exampleErrorPrompt' },
  { title: 'exampleTest', note: 'exampleTestNote', prompt: 'exampleTestPrompt' },
]

/** Before the first message: what this is, four examples and the first steps, or why nothing can start yet. */
export function EmptyConversation(props: { playground: PlaygroundState; onExample(text: string): void; onCode(): void }) {
  const { playground } = props
  const { group } = playground
  const groups = () => playground.catalogue.groups()
  const models = () => playground.catalogue.models(group())
  const balance = () => playground.wallet()?.balance ?? '0'
  const hasBalance = () => Number(balance()) - Number(playground.wallet()?.held ?? 0) > 0
  const failed = () => {
    const [first, second] = [groups(), models()]
    return first.state === 'failed' ? first.error : second.state === 'failed' ? second.error : undefined
  }
  const nothing = () => {
    const listed = models()
    return listed.state === 'ready' && listed.rows.length === 0
  }
  return (
    <div class="col my-auto py-8">
      <LogoMark size={40} />
      <Show when={playground.unknown()}>
        <div class="notice warn mt-5 grid justify-items-start gap-2">
          <p>{t('unknownConversationWhy')}</p>
          <Button onClick={() => playground.open(null)}>{t('startNewChat')}</Button>
        </div>
      </Show>
      <h2 class="mt-5 text-[28px]/[36px] tracking-[-0.022em] max-[759px]:text-[24px]/[32px]">{t('emptyTitle')}</h2>
      <p class="mt-1 max-w-[52ch] text-[15px]/[24px] text-ink-2">{t('emptyIntro')}</p>
      <Switch fallback={<Examples onExample={props.onExample} />}>
        <Match when={failed()}>
          {(error) => (
            <div class="notice bad mt-6 grid justify-items-start gap-2">
              <p>{whyFailed(error())}</p>
              <Button onClick={() => playground.catalogue.reload()}>{t('retry')}</Button>
            </div>
          )}
        </Match>
        <Match when={nothing()}>
          <div class="notice warn mt-6 grid justify-items-start gap-2">
            <h3>{t('nothingTitle', { group: group() })}</h3>
            <p>{playground.user().role === 'admin' ? t('nothingAdmin') : t('nothingUser')}</p>
            <div class="flex flex-wrap gap-2">
              <Show when={playground.user().role === 'admin'}>
                <a class="btn primary" href="/admin/channels/new">
                  {t('addChannel')}
                </a>
              </Show>
              <Button onClick={() => playground.catalogue.reload()}>{t('lookAgain')}</Button>
            </div>
          </div>
        </Match>
      </Switch>
      <ol class="mt-8 grid gap-4 border-t border-line pt-4 text-[13px]/[20px] min-[760px]:grid-cols-3">
        <li class="flex gap-3">
          <StepMark done={hasBalance()} number={1} />
          <span>
            <b class="block font-medium">{hasBalance() ? t('balanceReady') : t('balanceNone')}</b>
            <span class="text-ink-3">{hasBalance() ? t('balanceIs', { balance: formatMoney(balance()) }) : t('balanceIsNone')}</span>
          </span>
        </li>
        <li class="flex gap-3">
          <StepMark done={playground.library.list().length > 0} number={2} />
          <span>
            <b class="block font-medium">{t('sendFirst')}</b>
            <span class="text-ink-3">{t('sendFirstNote')}</span>
          </span>
        </li>
        <li class="flex gap-3">
          <StepMark done={false} number={3} />
          <span>
            <button
              type="button"
              class="block font-medium text-accent hover:underline pointer-coarse:min-h-11"
              onClick={() => props.onCode()}
            >
              {t('copyAsCode')}
            </button>
            <span class="text-ink-3">{t('copyAsCodeNote')}</span>
          </span>
        </li>
      </ol>
    </div>
  )
}

function Examples(props: { onExample(text: string): void }) {
  return (
    <div class="mt-6 grid gap-2.5 min-[760px]:grid-cols-2">
      <For each={examples}>
        {(example) => (
          <button
            type="button"
            class="min-h-[64px] rounded-card border border-line-2 px-3.5 py-2.5 text-[13px]/[20px] hover:border-control hover:bg-fill"
            onClick={() => props.onExample(t(example.prompt))}
          >
            <b class="block font-medium">{t(example.title)}</b>
            <span class="text-ink-3">{t(example.note)}</span>
          </button>
        )}
      </For>
    </div>
  )
}

/** Why there are no groups or models to choose from. */
function whyFailed({ code, status }: ApiError): string {
  if (code === 'team_not_allowed') return t('failTeamDetail')
  return status === 403 ? t('failGroupDetail') : t('listFailed', { code })
}

function StepMark(props: { done: boolean; number: number }) {
  return (
    <span
      class="num grid size-[18px] flex-none place-items-center rounded-full border-[1.5px] text-[11px] font-semibold"
      classList={{ 'border-accent bg-accent text-on-accent': props.done, 'border-control text-ink-2': !props.done }}
      aria-hidden="true"
    >
      <Show when={props.done} fallback={props.number}>
        <Icon name="check" small />
      </Show>
    </span>
  )
}
