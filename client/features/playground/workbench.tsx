/** The screen: list at the left, conversation in the middle, one panel at the right. Less room, fewer of them beside each other. */
import { createEffect, createMemo, createSignal, lazy, Match, onMount, Show, Suspense, Switch } from 'solid-js'
import { createMediaQuery } from '#client/ui/media.ts'
import type { Actions } from './actions.ts'
import type { PageContext } from './bench.ts'
import type { ComposerHandle } from './composer/composer.tsx'
import { ConversationComposer } from './composer/dock.tsx'
import type { PlaygroundState } from './desk.ts'
import { handleShortcuts } from './keyboard/keys.ts'
import { Sidebar } from './library/side.tsx'
import { revealHiddenCharacters } from './markdown/escape.ts'
import { loadProse } from './markdown/prose.tsx'
import { Banner } from './states/banner.tsx'
import { announceReplies } from './states/speech.ts'
import { TopBar } from './top-bar.tsx'
import { Transcript } from './transcript/transcript.tsx'
import { createViewState } from './view.ts'
import { say } from './words.ts'

const CompareView = lazy(async () => ({ default: (await import('./compare/view.tsx')).CompareView }))
const InspectorPanel = lazy(async () => ({ default: (await import('./inspector/panel.tsx')).InspectorPanel }))
const ParametersPanel = lazy(async () => ({ default: (await import('./parameters/panel.tsx')).ParametersPanel }))
const Sheet = lazy(async () => ({ default: (await import('#client/ui/sheet.tsx')).Sheet }))
const Dialogs = lazy(async () => ({ default: (await import('./dialogs.tsx')).Dialogs }))

export function PlaygroundLayout(props: { desk: PlaygroundState; actions: Actions; onSignedOut(): void }) {
  const { desk, actions } = props
  const roomy = createMediaQuery('(min-width: 1180px)')
  const wide = createMediaQuery('(min-width: 1500px)')
  const hasSide = createMediaQuery('(min-width: 760px)')
  const view = createViewState(matchMedia('(min-width: 1180px)').matches)
  const [composer, setComposer] = createSignal<ComposerHandle | undefined>()
  const [editedMessage, setEditedMessage] = createSignal<string | null>(null)
  const bench: PageContext = {
    desk,
    actions,
    view,
    compose: (text) => composer()?.insert(text),
    focusComposer: () => composer()?.focus(),
    signIn: () => props.onSignedOut(),
    editedMessage,
    setEditedMessage,
  }
  handleShortcuts(bench)
  announceReplies(bench)
  onMount(() => {
    // After the page is in place: a detached box takes no focus.
    if (hasSide()) requestAnimationFrame(() => requestAnimationFrame(() => composer()?.focus()))
    setTimeout(() => void loadProse(), 300)
  })
  const title = createMemo(() => revealHiddenCharacters(desk.conversation().title) || say('newChat'))
  createEffect(() => {
    document.title = `${title()} · Parley`
  })
  // The inspector takes the list's place where there is not room for both.
  const showsSide = () => hasSide() && !(view.panel() === 'inspector' && roomy() && !wide())

  return (
    <div class="app" classList={{ 'no-side': !showsSide() }}>
      <Show when={showsSide()}>
        <aside class="side" aria-label={say('conversations')}>
          <Sidebar bench={bench} onSignedOut={props.onSignedOut} />
        </aside>
      </Show>
      <main class="main">
        <button type="button" class="skip" onClick={() => composer()?.focus()}>
          {say('skipToComposer')}
        </button>
        <TopBar bench={bench} title={title()} hasSide={showsSide()} />
        <Banner bench={bench} />
        <Suspense>
          <Show when={!view.comparing()} fallback={<CompareView bench={bench} />}>
            <Transcript bench={bench} />
            <ConversationComposer bench={bench} handle={setComposer} />
          </Show>
        </Suspense>
      </main>
      <Suspense>
        <Switch>
          <Match when={view.panel() === 'parameters'}>
            <ParametersPanel bench={bench} beside={roomy()} />
          </Match>
          <Match when={view.panel() === 'inspector'}>
            <InspectorPanel bench={bench} beside={roomy()} />
          </Match>
        </Switch>
      </Suspense>
      <Suspense>
        <Show when={view.listOpen() && !showsSide()}>
          <Sheet title={say('conversations')} closeLabel={say('closeList')} side="left" bare onClose={() => view.setListOpen(false)}>
            <Sidebar bench={bench} onSignedOut={props.onSignedOut} onClose={() => view.setListOpen(false)} />
          </Sheet>
        </Show>
      </Suspense>
      <Suspense>
        <Show when={view.dialog()} keyed>
          {(name) => <Dialogs bench={bench} name={name} draft={composer()?.text() ?? ''} />}
        </Show>
      </Suspense>
    </div>
  )
}
