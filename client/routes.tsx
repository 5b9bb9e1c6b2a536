/**
 * Which screen is shown. The server decides who is signed in; the client only asks. While the server needs setup, setup comes
 * before everything. When a session ends, the sign-in page opens and drafts are kept.
 */
import { Navigate, Route, Router, type RouteSectionProps, useNavigate } from '@solidjs/router'
import { createSignal, lazy, Match, onMount, Show, Suspense, Switch } from 'solid-js'
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

  const Playground = (props: { params: { id?: string } }) => {
    const navigate = useNavigate()
    return (
      <Switch>
        <Match when={screen() === 'setup'}>
          <SetupPage onSignedIn={signedIn} onAlreadyDone={() => void loadSession()} />
        </Match>
        <Match when={screen() === 'closed'}>
          <SignInPage onSignedIn={signedIn} />
        </Match>
        <Match when={screen() === 'open' && user()} keyed>
          {(signedIn) => (
            <PlaygroundPage
              user={signedIn}
              conversation={props.params.id}
              onOpen={(id) => navigate(id === null ? '/' : `/c/${encodeURIComponent(id)}`)}
              onSignedOut={() => setScreen('closed')}
            />
          )}
        </Match>
      </Switch>
    )
  }

  return (
    <>
      <Show when={screen() === 'unreachable'}>
        <ServerUnreachable onRetry={() => void loadSession()} />
      </Show>
      <Show when={screen() !== 'unreachable' && screen() !== 'asking'}>
        <Router root={(props) => <Suspense>{props.children}</Suspense>}>
          <Route path={['/', '/c/:id']} component={(props: RouteSectionProps) => <Playground params={props.params} />} />
          <Route path="*" component={() => <Navigate href="/" />} />
        </Router>
      </Show>
      <Announcer />
      <ToastList />
      <TooltipLayer />
    </>
  )
}
