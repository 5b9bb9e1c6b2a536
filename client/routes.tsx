/**
 * Which screen is shown. The server decides who is signed in; the client only asks. While the server needs setup, setup comes
 * before everything. When a session ends, the sign-in page opens and drafts are kept.
 */
import { Navigate, Route, Router, type RouteSectionProps, useNavigate } from '@solidjs/router'
import { createSignal, type JSX, lazy, Match, onMount, Show, Suspense, Switch } from 'solid-js'
import { currentUser, readStatus } from '#client/api/account.ts'
import { Announcer } from '#client/ui/announcer.tsx'
import { loadMessages } from '#client/ui/language.ts'
import { ServerUnreachable } from '#client/ui/server-unreachable.tsx'
import { ToastList } from '#client/ui/toast.tsx'
import { TooltipLayer } from '#client/ui/tooltip.tsx'
import type { UserRow } from '#shared/console/user'

const SignInPage = lazy(async () => pageWithMessages((await import('#client/features/sign-in/page.tsx')).SignInPage))
const SetupPage = lazy(async () => pageWithMessages((await import('#client/features/setup/page.tsx')).SetupPage))
const PlaygroundPage = lazy(async () => pageWithMessages((await import('#client/features/playground/page.tsx')).PlaygroundPage))

/** A page together with its messages in the chosen language. */
async function pageWithMessages<Page>(page: Page): Promise<{ default: Page }> {
  await loadMessages()
  return { default: page }
}

type Screen = 'asking' | 'unreachable' | 'setup' | 'closed' | 'open'

/** The whole application: asks the server for its status and the user once, then shows the matching screen. */
export function App() {
  const [screen, setScreen] = createSignal<Screen>('asking')
  const [user, setUser] = createSignal<UserRow | null>(null)

  const loadSession = async () => {
    setScreen('asking')
    try {
      const [status, found] = await Promise.all([readStatus(), currentUser()])
      setUser(found)
      setScreen(status.setup === 'needed' ? 'setup' : found ? 'open' : 'closed')
    } catch {
      setScreen('unreachable')
    }
  }
  const signedIn = (found: UserRow) => {
    setUser(found)
    setScreen('open')
  }
  onMount(() => void loadSession())

  /** A page, once somebody is signed in; the address stays meanwhile. */
  const SignedIn = (props: { page: (user: UserRow) => JSX.Element }) => (
    <Switch>
      <Match when={screen() === 'setup'}>
        <SetupPage onSignedIn={signedIn} onAlreadyDone={() => void loadSession()} />
      </Match>
      <Match when={screen() === 'closed'}>
        <SignInPage onSignedIn={signedIn} />
      </Match>
      <Match when={screen() === 'open' && user()} keyed>
        {props.page}
      </Match>
    </Switch>
  )

  const Playground = (props: RouteSectionProps) => {
    const navigate = useNavigate()
    return (
      <SignedIn
        page={(user) => (
          <PlaygroundPage
            user={user}
            conversation={props.params.id}
            onOpen={(id) => navigate(id === null ? '/' : `/c/${encodeURIComponent(id)}`)}
            onSignedOut={() => setScreen('closed')}
          />
        )}
      />
    )
  }

  return (
    <>
      <Show when={screen() === 'unreachable'}>
        <ServerUnreachable onRetry={() => void loadSession()} />
      </Show>
      <Show when={screen() !== 'unreachable' && screen() !== 'asking'}>
        <Router root={(props) => <Suspense>{props.children}</Suspense>}>
          <Route path={['/', '/c/:id']} component={Playground} />
          <Route path="*" component={() => <Navigate href="/" />} />
        </Router>
      </Show>
      <Announcer />
      <ToastList />
      <TooltipLayer />
    </>
  )
}
