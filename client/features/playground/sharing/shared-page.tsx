/** `/share/:id`: a read-only copy of a conversation for anyone with the link. */
import { createResource, For, Match, onMount, Show, Switch } from 'solid-js'
import { ApiError, callApi } from '#client/api/http.ts'
import type { Message } from '#client/features/playground/conversation/conversation.ts'
import { Prose } from '#client/features/playground/markdown/prose.tsx'
import { t } from '#client/features/playground/messages/messages.ts'
import { importJson } from '#client/features/playground/sidebar/conversation-files.ts'
import { revealHiddenCharacters } from '#client/features/playground/text/reveal-hidden-characters.ts'
import { Brand, SpeakerMark } from '#client/ui/brand.tsx'
import { formatDateTime } from '#client/ui/format.ts'
import type { SharedConversation } from '#shared/console/user'

/** The page. `id` is that of the link. */
export function SharedPage(props: { id: string }) {
  const [found] = createResource(
    () => props.id,
    async (id): Promise<SharedConversation | 'gone' | 'failed'> => {
      try {
        return await callApi<SharedConversation>('GET', `/api/shares/${encodeURIComponent(id)}`)
      } catch (thrown) {
        return thrown instanceof ApiError && thrown.status === 404 ? 'gone' : 'failed'
      }
    },
  )
  const shared = () => {
    const one = found()
    return one === undefined || typeof one === 'string' ? undefined : one
  }
  const messages = () => importJson(shared()?.text ?? '')?.[0]?.messages ?? []
  onMount(() => {
    document.title = `${t('sharedTitle')} · Parley`
  })
  return (
    <div class="h-dvh overflow-auto bg-surface">
      <header class="flex h-[52px] items-center gap-4 border-b border-line bg-bg px-4">
        <a href="/" aria-label="Parley">
          <Brand />
        </a>
        <span class="flex-1" />
        <span class="hint">{t('sharedReadOnly')}</span>
      </header>
      <main class="col px-4 py-6">
        <Switch>
          <Match when={found() === 'gone'}>
            <h1 class="text-[20px]/[28px]">{t('sharedGone')}</h1>
            <p class="mt-1 text-ink-2">{t('sharedGoneWhy')}</p>
          </Match>
          <Match when={found() === 'failed'}>
            <h1 class="text-[20px]/[28px]">{t('sharedFailed')}</h1>
          </Match>
          <Match when={shared()}>
            {(one) => (
              <>
                <h1 class="text-[20px]/[28px] tracking-[-0.015em]">{revealHiddenCharacters(one().title)}</h1>
                <p class="hint mt-1 mb-6">
                  {t('sharedFacts', {
                    from: formatDateTime(Date.parse(one().createdAt)),
                    until: formatDateTime(Date.parse(one().expiresAt)),
                  })}
                </p>
                <For each={messages()}>{(message) => <Turn message={message} />}</For>
              </>
            )}
          </Match>
        </Switch>
      </main>
    </div>
  )
}

function Turn(props: { message: Message }) {
  const reply = () => (props.message.role === 'assistant' ? props.message : undefined)
  return (
    <article class="turn">
      <SpeakerMark side={reply() ? 'right' : 'left'} />
      <div class="min-w-0">
        <div class="who">
          <h2 class="text-[13px] font-semibold tracking-normal">
            {reply() ? revealHiddenCharacters(reply()?.model ?? '') : props.message.role === 'tool' ? t('toolAnswer') : t('you')}
          </h2>
        </div>
        <Show when={reply()} fallback={<div class="said">{props.message.text}</div>}>
          {(one) => (
            <>
              <Prose text={one().text || one().refusal} running={false} />
              <For each={one().calls}>
                {(call) => (
                  // biome-ignore lint/a11y/useSemanticElements: a named region that scrolls, reachable by keyboard
                  <pre
                    class="mt-2 overflow-auto rounded-[6px] bg-code p-3 font-mono text-[13px]/[20px]"
                    tabindex="0"
                    role="region"
                    aria-label={call.name}
                  >
                    {call.name} {call.arguments}
                  </pre>
                )}
              </For>
            </>
          )}
        </Show>
      </div>
    </article>
  )
}
