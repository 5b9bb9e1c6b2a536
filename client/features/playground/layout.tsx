import { type Accessor, createEffect, createMemo, createSignal, on, onMount, Show, Suspense } from 'solid-js'
import type { ComposerHandle } from '#client/features/playground/composer/composer.tsx'
import { ConversationComposer } from '#client/features/playground/composer/conversation-composer.tsx'
import { handleShortcuts } from '#client/features/playground/keyboard/handle-shortcuts.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import { Sidebar } from '#client/features/playground/sidebar/sidebar.tsx'
import type { Actions } from '#client/features/playground/state/actions.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import type { PlaygroundState } from '#client/features/playground/state/playground-state.ts'
import { createViewState, type PanelName } from '#client/features/playground/state/view-state.ts'
import { revealHiddenCharacters } from '#client/features/playground/text/reveal-hidden-characters.ts'
import { announceReplies } from '#client/features/playground/transcript/announce-replies.ts'
import { Transcript } from '#client/features/playground/transcript/transcript.tsx'
import { createMediaQuery } from '#client/ui/browser-state.ts'
import { later } from '#client/ui/later.ts'
import { Banner } from './banner.tsx'
import { TopBar } from './top-bar.tsx'

const CompareView = later(async () => (await import('#client/features/playground/compare/compare-view.tsx')).CompareView)
const InspectorPanel = later(async () => (await import('#client/features/playground/inspector/inspector-panel.tsx')).InspectorPanel)
const ParametersPanel = later(async () => (await import('#client/features/playground/parameters/parameters-panel.tsx')).ParametersPanel)
const Sheet = later(async () => (await import('#client/ui/sheet.tsx')).Sheet)
const Dialogs = later(async () => (await import('./dialogs.tsx')).Dialogs)

/**
 * The screen: sidebar on the left, conversation in the middle, one panel on the right. With less room, sidebar and panel
 * become sheets.
 */
export function PlaygroundLayout(props: { playground: PlaygroundState; actions: Actions; onSignedOut(): void }) {
  const { playground, actions } = props
  const roomy = createMediaQuery('(min-width: 1180px)')
  const wide = createMediaQuery('(min-width: 1500px)')
  const hasSide = createMediaQuery('(min-width: 760px)')
  const view = createViewState(matchMedia('(min-width: 1180px)').matches)
  createEffect(on(roomy, (fits) => view.setRoomy(fits), { defer: true }))
  const [composer, setComposer] = createSignal<ComposerHandle | undefined>()
  const [editedMessage, setEditedMessage] = createSignal<string | null>(null)
  const page: PageContext = {
    playground,
    actions,
    view,
    compose: (text) => composer()?.insert(text),
    focusComposer: () => composer()?.focus(),
    signIn: () => props.onSignedOut(),
    editedMessage,
    setEditedMessage,
  }
  handleShortcuts(page)
  announceReplies(page)
  onMount(() => {
    if (hasSide()) startInComposer(() => composer()?.focus())
    // Preload before the first reply; offline, the reply itself retries.
    setTimeout(
      () =>
        void import('#client/features/playground/markdown/prose.tsx').then(
          ({ loadProse }) => loadProse(),
          () => undefined,
        ),
      300,
    )
  })
  const title = createMemo(
    () => revealHiddenCharacters(playground.conversation().title) || t(playground.unknown() ? 'unknownConversation' : 'newChat'),
  )
  createEffect(() => {
    document.title = `${title()} · Parley`
  })
  // The inspector takes the sidebar's place where there is no room for both.
  const showsSide = () => hasSide() && !(view.panel() === 'inspector' && roomy() && !wide())
  const hadSide = onceTrue(showsSide)
  const shows = (name: PanelName) => view.panel() === name
  const hadParameters = onceTrue(() => shows('parameters'))
  const hadInspector = onceTrue(() => shows('inspector'))

  return (
    <div class="app" classList={{ 'no-side': !showsSide() }}>
      {/* Stays mounted, so that it reappears at once, unchanged. */}
      <Show when={hasSide() && hadSide()}>
        <aside class="side" hidden={!showsSide()} aria-label={t('conversations')}>
          <Sidebar page={page} />
        </aside>
      </Show>
      <main class="main">
        <TopBar page={page} title={title()} hasSide={showsSide()} />
        <Banner page={page} />
        <Suspense>
          <Show when={!view.comparing()} fallback={<CompareView page={page} />}>
            <Transcript page={page} />
            <ConversationComposer page={page} handle={setComposer} />
          </Show>
        </Suspense>
      </main>
      {/* Reserves the panel's space before it is loaded, so that nothing moves. */}
      <Suspense
        fallback={
          <Show when={roomy() && view.panel()}>{(name) => <div class="panel" classList={{ wide: name() === 'inspector' }} />}</Show>
        }
      >
        <Show when={hadParameters()}>
          <ParametersPanel page={page} beside={roomy()} open={shows('parameters')} />
        </Show>
        <Show when={hadInspector()}>
          <InspectorPanel page={page} beside={roomy()} open={shows('inspector')} />
        </Show>
      </Suspense>
      <Suspense>
        <Show when={view.listOpen() && !showsSide()}>
          <Sheet title={t('conversations')} closeLabel={t('closeList')} side="left" bare onClose={() => view.setListOpen(false)}>
            <Sidebar page={page} onClose={() => view.setListOpen(false)} />
          </Sheet>
        </Show>
      </Suspense>
      <Suspense>
        <Show when={view.dialog()} keyed>
          {(name) => <Dialogs page={page} name={name} draft={composer()?.text() ?? ''} />}
        </Show>
      </Suspense>
    </div>
  )
}

/** True from the first time on that `now` is. */
const onceTrue = (now: Accessor<boolean>): Accessor<boolean> => createMemo((before) => before || now(), false)

/**
 * Focuses the message box once it is there: two frames later it is in the document, and a detached one takes no focus. If the user has
 * pressed something in the meantime, the focus stays where they have put it.
 */
function startInComposer(focus: () => void): void {
  const presses = ['keydown', 'pointerdown'] as const
  let pressed = false
  const onPress = () => {
    pressed = true
  }
  for (const press of presses) addEventListener(press, onPress, { capture: true, once: true })
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      for (const press of presses) removeEventListener(press, onPress, { capture: true })
      if (!pressed) focus()
    }),
  )
}
