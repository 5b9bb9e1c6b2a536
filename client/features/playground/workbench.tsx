/** The screen: list at the left, conversation in the middle, one panel at the right. Less room, fewer of them beside each other. */
import { createEffect, createMemo, createSignal, lazy, Match, onMount, Show, Suspense, Switch } from 'solid-js'
import { createMedia } from '#client/ui/media.ts'
import type { Actions } from './actions.ts'
import type { Bench } from './bench.ts'
import type { ComposerHandle } from './composer/composer.tsx'
import { Dock } from './composer/dock.tsx'
import type { Desk } from './desk.ts'
import { obeyKeys } from './keyboard/keys.ts'
import { Side } from './library/side.tsx'
import { reveal } from './markdown/escape.ts'
import { loadProse } from './markdown/prose.tsx'
import { Banner } from './states/banner.tsx'
import { speakReplies } from './states/speech.ts'
import { TopBar } from './top-bar.tsx'
import { Transcript } from './transcript/transcript.tsx'
import { createView } from './view.ts'
import { say } from './words.ts'

const CompareView = lazy(async () => ({ default: (await import('./compare/view.tsx')).CompareView }))
const InspectorPanel = lazy(async () => ({ default: (await import('./inspector/panel.tsx')).InspectorPanel }))
const ParametersPanel = lazy(async () => ({ default: (await import('./parameters/panel.tsx')).ParametersPanel }))
const Sheet = lazy(async () => ({ default: (await import('#client/ui/sheet.tsx')).Sheet }))
const Dialogs = lazy(async () => ({ default: (await import('./dialogs.tsx')).Dialogs }))

export function Workbench(props: { desk: Desk; actions: Actions; onSignedOut(): void }) {
  const { desk, actions } = props
  const roomy = createMedia('(min-width: 1180px)')
  const wide = createMedia('(min-width: 1500px)')
  const hasSide = createMedia('(min-width: 760px)')
  const view = createView(matchMedia('(min-width: 1180px)').matches)
  const [composer, setComposer] = createSignal<ComposerHandle | undefined>()
  const [editing, setEditing] = createSignal<string | null>(null)
  const bench: Bench = {
    desk,
    actions,
    view,
    compose: (text) => composer()?.insert(text),
    focusComposer: () => composer()?.focus(),
    signIn: () => props.onSignedOut(),
    editing,
    setEditing,
  }
  obeyKeys(bench)
  speakReplies(bench)
  onMount(() => {
    // After the page is in place: a detached box takes no focus.
    if (hasSide()) requestAnimationFrame(() => requestAnimationFrame(() => composer()?.focus()))
    setTimeout(() => void loadProse(), 300)
  })
  const title = createMemo(() => reveal(desk.conversation().title) || say('newChat'))
  createEffect(() => {
    document.title = `${title()} · Parley`
  })
  // The inspector takes the list's place where there is not room for both.
  const showsSide = () => hasSide() && !(view.panel() === 'inspector' && roomy() && !wide())

  return (
    <div class="app" classList={{ 'no-side': !showsSide() }}>
      <Show when={showsSide()}>
        <aside class="side" aria-label={say('conversations')}>
          <Side bench={bench} onSignedOut={props.onSignedOut} />
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
            <Dock bench={bench} handle={setComposer} />
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
            <Side bench={bench} onSignedOut={props.onSignedOut} onClose={() => view.setListOpen(false)} />
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
