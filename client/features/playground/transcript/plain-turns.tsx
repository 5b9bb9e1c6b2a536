import { For, Show } from 'solid-js'
import { FailurePanel } from '#client/features/playground/failures/failure-panel.tsx'
import { performNextStep } from '#client/features/playground/failures/next-steps.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { revealHiddenCharacters } from '#client/features/playground/text/reveal-hidden-characters.ts'

/** At most so many messages are shown. */
const shownMessages = 20

/** The last messages as plain text, with the error: for a page that went offline before the turns component was loaded. */
export function PlainTurns(props: { page: PageContext }) {
  const { playground } = props.page
  return (
    <div class="col pt-6">
      <For each={playground.path().slice(-shownMessages)}>
        {(message) => (
          <article class="turn" data-message={message.id}>
            <span />
            <div class="min-w-0">
              <h2 class="who font-semibold">{message.role === 'assistant' ? revealHiddenCharacters(message.model) : t('you')}</h2>
              <p class="whitespace-pre-wrap break-words">{message.text}</p>
              <Show when={message.role === 'assistant' ? message : undefined}>
                {(reply) => (
                  <FailurePanel
                    reply={reply()}
                    settings={playground.conversation().settings}
                    latest={playground.path().at(-1)?.id === message.id}
                    signedOut={playground.lostSession()}
                    canTrim={playground.canTrim()}
                    onStep={(step, named) => performNextStep(props.page, reply(), step, named)}
                  />
                )}
              </Show>
            </div>
          </article>
        )}
      </For>
    </div>
  )
}
