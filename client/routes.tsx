/**
 * Which screen is shown. The server decides who is signed in; the client only asks. Setup comes before everything while
 * the server needs it; a lost session brings the sign-in page back and keeps what was being written.
 */
import { Navigate, Route, Router, type RouteSectionProps, useNavigate } from '@solidjs/router'
import { createSignal, lazy, Match, onMount, Show, Suspense, Switch } from 'solid-js'
import { currentUser, readStatus } from '#client/api/account.ts'
import { Announcer } from '#client/ui/announcer.tsx'
import { spoken } from '#client/ui/language.ts'
import { TipBubble } from '#client/ui/tip.tsx'
import { ToastRack } from '#client/ui/toast.tsx'
import { Unreachable } from '#client/ui/unreachable.tsx'
import type { UserRow } from '#shared/console/user'

const SignInPage = lazy(async () => spokenPage((await import('#client/features/sign-in/page.tsx')).SignInPage))
const SetupPage = lazy(async () => spokenPage((await import('#client/features/setup/page.tsx')).SetupPage))
const PlaygroundPage = lazy(async () => spokenPage((await import('#client/features/playground/page.tsx')).PlaygroundPage))

/** A page whose words are loaded in the chosen language. */
async function spokenPage<Page>(page: Page): Promise<{ default: Page }> {
  await spoken()
  return { default: page }
}

type Door = 'asking' | 'unreachable' | 'setup' | 'closed' | 'open'

export function App() {
  const [door, setDoor] = createSignal<Door>('asking')
  const [user, setUser] = createSignal<UserRow | null>(null)

  const ask = async () => {
    setDoor('asking')
    try {
      const [status, found] = await Promise.all([readStatus(), currentUser()])
      setUser(found)
      setDoor(status.setup === 'needed' ? 'setup' : found ? 'open' : 'closed')
    } catch {
      setDoor('unreachable')
    }
  }
  const enter = (found: UserRow) => {
    setUser(found)
    setDoor('open')
  }
  onMount(() => void ask())

  const Playground = (props: { params: { id?: string } }) => {
    const navigate = useNavigate()
    return (
      <Switch>
        <Match when={door() === 'setup'}>
          <SetupPage onSignedIn={enter} onAlreadyDone={() => void ask()} />
        </Match>
        <Match when={door() === 'closed'}>
          <SignInPage onSignedIn={enter} />
        </Match>
        <Match when={door() === 'open' && user()} keyed>
          {(signedIn) => (
            <PlaygroundPage
              user={signedIn}
              conversation={props.params.id}
              onOpen={(id) => navigate(id === null ? '/' : `/c/${encodeURIComponent(id)}`)}
              onSignedOut={() => setDoor('closed')}
            />
          )}
        </Match>
      </Switch>
    )
  }

  return (
    <>
      <Show when={door() === 'unreachable'}>
        <Unreachable onRetry={() => void ask()} />
      </Show>
      <Show when={door() !== 'unreachable' && door() !== 'asking'}>
        <Router root={(props) => <Suspense>{props.children}</Suspense>}>
          <Route path={['/', '/c/:id']} component={(props: RouteSectionProps) => <Playground params={props.params} />} />
          <Route path="*" component={() => <Navigate href="/" />} />
        </Router>
      </Show>
      <Announcer />
      <ToastRack />
      <TipBubble />
    </>
  )
}
