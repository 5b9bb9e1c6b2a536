/** The first run: administrator, first channel, first key, playground. Shown only while the server needs setup. */
import { createSignal, Match, Show, Switch } from 'solid-js'
import type { UserRow } from '#shared/console/user'
import { AdministratorStep, type Made } from './administrator-step.tsx'
import { type Answering, demo } from './answering.ts'
import { createChannelDraft } from './channel-draft.ts'
import { ChannelStep } from './channel-step.tsx'
import { FirstKey } from './first-key.tsx'
import { Ready } from './ready.tsx'
import { SetupSteps } from './setup-steps.tsx'
import '#client/ui/console/forms.css'
import '#client/ui/console/gallery.css'
import '#client/ui/console/copy.css'
import '#client/ui/console/console.css'
import '#client/ui/console/small.css'
import '#client/ui/console/table.css'
import '#client/ui/console/table-cards.css'

/** The page of the first run. */
export function SetupPage(props: { onSignedIn(user: UserRow): void; onAlreadyDone(): void }) {
  const begun = performance.now()
  const [made, setMade] = createSignal<Made>()
  const [answering, setAnswering] = createSignal<Answering>()
  const channel = createChannelDraft()
  const [taken, setTaken] = createSignal(false)
  const step = () => (made() === undefined ? 0 : answering() === undefined ? 1 : taken() ? 3 : 2)
  const finish = (path: string) => {
    const user = made()?.user
    if (user === undefined) return
    history.replaceState(null, '', path)
    props.onSignedIn(user)
  }
  return (
    <main class="grid min-h-dvh grid-cols-1 content-start bg-surface min-[760px]:grid-cols-[300px_minmax(0,1fr)] min-[760px]:content-stretch">
      <SetupSteps current={step()} />
      <section class="max-w-[860px] min-w-0 px-4 pt-5 pb-10 min-[760px]:px-16 min-[760px]:pt-[68px]">
        <Switch>
          <Match when={step() === 0}>
            <AdministratorStep
              onMade={(answer, useDemo) => {
                setMade(answer)
                if (useDemo) setAnswering(demo)
              }}
              onAlreadyDone={props.onAlreadyDone}
            />
          </Match>
          <Match when={step() === 1}>
            <ChannelStep draft={channel} onDone={setAnswering} onDemo={() => setAnswering(demo)} />
          </Match>
          <Match when={step() === 2}>
            <Show when={made()}>
              {(known) => (
                <FirstKey
                  name={known().key.name}
                  secret={known().key.key}
                  answering={answering() ?? demo}
                  onBack={answering() === demo ? () => setAnswering(undefined) : undefined}
                  onDone={() => setTaken(true)}
                />
              )}
            </Show>
          </Match>
          <Match when={step() === 3}>
            <Ready answering={answering() ?? demo} seconds={Math.round((performance.now() - begun) / 1000)} onGo={finish} />
          </Match>
        </Switch>
      </section>
    </main>
  )
}
