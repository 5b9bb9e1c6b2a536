/** The conversation area. Its turns are loaded with the first message. Silent for screen readers: a status region announces progress. */
import { createEffect, createMemo, createSignal, on, onMount, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Icon } from '#client/ui/icon.tsx'
import { type AutoScroll, createAutoScroll } from './auto-scroll.ts'
import { EmptyConversation } from './empty-conversation.tsx'
import { createTurnsLoader } from './load-turns.ts'
import { PlainTurns } from './plain-turns.tsx'
import { shellFirst } from './shell-first.ts'

/** The conversation on the screen. */
export function Transcript(props: { page: PageContext }) {
  const { playground } = props.page
  let scroller: HTMLElement | undefined
  const turns = createTurnsLoader()
  const [follow, setFollow] = createSignal<AutoScroll | undefined>()
  onMount(() => {
    if (scroller) setFollow(createAutoScroll(scroller))
    // After the first paint, and before the first message can be sent.
    requestAnimationFrame(() => requestAnimationFrame(() => turns.load()))
  })
  const isEmpty = () => playground.messagesState() === 'ready' && playground.path().length === 0
  /** The conversation whose turns are shown; undefined while nothing is known: an empty conversation needs no turns. */
  const shown = shellFirst(createMemo(() => (playground.path().length > 0 ? playground.conversation().id : undefined)))
  // A new message retries loading the turns component.
  createEffect(() => playground.path().length > 0 && turns.load())
  const [news, setNews] = createSignal(false)
  createEffect(
    on(
      () => playground.path().length,
      () => setNews(!(follow()?.atEnd() ?? true)),
      { defer: true },
    ),
  )
  return (
    <>
      <section
        ref={scroller}
        class="talk"
        classList={{ grid: isEmpty() }}
        role="log"
        aria-live="off"
        aria-label={t('conversation')}
        tabindex="-1"
      >
        <Show
          when={!isEmpty()}
          fallback={
            <EmptyConversation
              playground={playground}
              onExample={(text) => props.page.compose(text)}
              onCode={() => props.page.view.setDialog('code')}
            />
          }
        >
          {/* Each conversation has a list of its own, which starts at the end. */}
          <Show when={follow() && shown()} keyed>
            {(_) => (
              <Show
                when={turns.component()}
                fallback={
                  <Show when={turns.failed()}>
                    <PlainTurns page={props.page} />
                  </Show>
                }
              >
                {(component) => <Dynamic component={component()} page={props.page} scroller={scroller} follow={follow() as AutoScroll} />}
              </Show>
            )}
          </Show>
        </Show>
      </section>
      <Show when={follow() && !follow()?.atEnd() && !isEmpty()}>
        <div class="relative">
          <button
            type="button"
            class="btn jump"
            onClick={() => {
              setNews(false)
              follow()?.toEnd()
            }}
          >
            <Icon name="down" /> {t('jumpToLatest')}
            <Show when={news()}>
              <span class="dot" />
              <span class="hidden-text">{t('newBelow')}</span>
            </Show>
          </button>
        </div>
      </Show>
    </>
  )
}
