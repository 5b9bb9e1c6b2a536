/**
 * Which screen is shown. The server decides who is signed in; the client only asks. While the server needs setup, setup comes
 * before everything. When a session ends, the sign-in page opens at the same address and drafts are kept. Every page is loaded when
 * it is first opened.
 */
import { Route, Router, type RouteSectionProps, useNavigate, useParams } from '@solidjs/router'
import { type Component, createSignal, For, type JSX, lazy, Match, onMount, Show, Suspense, Switch } from 'solid-js'
import { currentUser, type Entered, readStatus } from '#client/api/account.ts'
import { SessionContext, useSession } from '#client/api/session.ts'
import { Announcer } from '#client/ui/announcer.tsx'
import { keepFocus } from '#client/ui/keep-focus.ts'
import { loadMessages } from '#client/ui/language.ts'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'
import { ToastList } from '#client/ui/toast.tsx'
import { TooltipLayer } from '#client/ui/tooltip.tsx'
import type { Status } from '#shared/console/model'
import type { UserRow } from '#shared/console/user'
import { consolePages, docsPage } from './console-pages.ts'
import { ProofDialog } from './shell/proof-dialog.tsx'
import { ServerUnreachable } from './shell/server-unreachable.tsx'
import { Shell } from './shell/shell.tsx'

const SignInPage = lazy(async () => pageWithMessages((await import('#client/features/sign-in/page.tsx')).SignInPage))
const EnrolmentPage = lazy(async () => pageWithMessages((await import('#client/features/account/enrolment-page.tsx')).EnrolmentPage))
const JoinPage = lazy(async () => pageWithMessages((await import('#client/features/join/page.tsx')).JoinPage))
const KeyHolderPage = lazy(async () => pageWithMessages((await import('#client/features/key-holder/page.tsx')).KeyHolderPage))
const DocsPage = lazy(async () => pageWithMessages(await docsPage()))
const SetupPage = lazy(async () => pageWithMessages((await import('#client/features/setup/page.tsx')).SetupPage))
const PlaygroundPage = lazy(async () => pageWithMessages((await import('#client/features/playground/page.tsx')).PlaygroundPage))
const SharedPage = lazy(async () => pageWithMessages((await import('#client/features/playground/sharing/shared-page.tsx')).SharedPage))
const NotFound = lazy(async () => pageWithMessages((await import('./shell/not-found.tsx')).NotFound))
const NotAllowed = lazy(async () => pageWithMessages((await import('./shell/not-found.tsx')).NotAllowed))

/** A page together with its messages in the chosen language. */
async function pageWithMessages<Page>(page: Page): Promise<{ default: Page }> {
  await loadMessages()
  return { default: page }
}

type Screen = 'asking' | 'unreachable' | 'setup' | 'closed' | 'enrol' | 'open'

/** The whole application: asks the server for its status and the user once, then shows the matching screen. */
export function App() {
  const [screen, setScreen] = createSignal<Screen>('asking')
  const [user, setUser] = createSignal<UserRow | null>(null)
  const [status, setStatus] = createSignal<Status>()
  const singleSignOn = () => status()?.singleSignOn === true

  const loadSession = async () => {
    setScreen('asking')
    try {
      const [status, found] = await Promise.all([readStatus(), currentUser()])
      setStatus(status)
      if (status.setup === 'needed') setScreen('setup')
      else if (found) entered(found)
      else ended()
    } catch {
      setScreen('unreachable')
    }
  }
  const entered = ({ user, mustEnrol }: Entered) => {
    setUser(user)
    setScreen(mustEnrol ? 'enrol' : 'open')
  }
  const ended = () => setScreen('closed')
  onMount(() => {
    keepFocus()
    // Returning users will see the playground: preload it while the session is checked.
    if (readLocalStorage('been-here') !== null && isPlayground(location.pathname)) void PlaygroundPage.preload()
    void loadSession()
  })

  /** All pages for signed-in users; the address stays while signing in. */
  const Frame = (props: RouteSectionProps) => (
    <Switch>
      {/* For holders of a key who have no account. */}
      <Match when={props.location.pathname === '/key'}>
        <KeyHolderPage />
      </Match>
      {/* For anyone with a link to a conversation. */}
      <Match when={/^\/share\/([\w-]+)$/.exec(props.location.pathname)?.[1]} keyed>
        {(id) => <SharedPage id={id} />}
      </Match>
      {/* The API reference is public; signed-in users read it inside the shell. */}
      <Match when={props.location.pathname === '/docs' && screen() !== 'open'}>
        <DocsPage alone />
      </Match>
      {/* For invited people, signed in or not. */}
      <Match when={props.location.pathname === '/join' && screen() !== 'setup' && screen() !== 'enrol'}>
        <JoinPage user={screen() === 'open' ? user() : null} singleSignOn={singleSignOn()} />
      </Match>
      <Match when={screen() === 'setup'}>
        <SetupPage onSignedIn={(user) => entered({ user, mustEnrol: false })} onAlreadyDone={() => void loadSession()} />
      </Match>
      <Match when={screen() === 'closed'}>
        <SignInPage onEntered={entered} singleSignOn={singleSignOn()} passkeys={status()?.passkeys} />
      </Match>
      {/* Keyed by user: another user gets new pages. */}
      <Match when={screen() === 'enrol' && user()?.id} keyed>
        {(_) => (
          <Signed user={user} entered={entered} ended={ended}>
            <EnrolmentPage onDone={() => void loadSession()} onLeave={ended} />
          </Signed>
        )}
      </Match>
      <Match when={screen() === 'open' && user()?.id} keyed>
        {(_) => (
          <Signed user={user} entered={entered} ended={ended}>
            <Shell>{props.children}</Shell>
          </Signed>
        )}
      </Match>
    </Switch>
  )

  return (
    <>
      <Show when={screen() === 'unreachable'}>
        <ServerUnreachable onRetry={() => void loadSession()} />
      </Show>
      <Show when={screen() !== 'unreachable' && screen() !== 'asking'}>
        <Router root={(props) => <Suspense>{props.children}</Suspense>}>
          <Route path="/" component={Frame}>
            <Route path={['/', '/c/:id']} component={Playground} />
            <For each={consolePages}>
              {(page) => <Route path={[...page.paths]} component={page.admin ? forAdministrators(page.load) : pageOf(page.load)} />}
            </For>
            <Route path="*" component={NotFound} />
          </Route>
        </Router>
      </Show>
      <Announcer />
      <ToastList />
      <TooltipLayer />
    </>
  )
}

/** The frame for signed-in users: the session, and the re-authentication dialog. */
function Signed(props: { user(): UserRow | null; entered(entered: Entered): void; ended(): void; children: JSX.Element }) {
  const known = props.user() as UserRow
  const user = () => props.user() ?? known
  const session = {
    user,
    admin: () => user().role === 'admin',
    ended: () => props.ended(),
    async refresh() {
      const found = await currentUser().catch(() => undefined)
      if (found === null) props.ended()
      else if (found) props.entered(found)
    },
  }
  return (
    <SessionContext.Provider value={session}>
      {props.children}
      <ProofDialog />
    </SessionContext.Provider>
  )
}

const isPlayground = (path: string) => path === '/' || path.startsWith('/c/')

function Playground() {
  writeLocalStorage('been-here', 'yes')
  const navigate = useNavigate()
  const params = useParams<{ id?: string }>()
  const session = useSession()
  return (
    <PlaygroundPage
      user={session.user()}
      conversation={params.id}
      onOpen={(id) => navigate(id === null ? '/' : `/c/${encodeURIComponent(id)}`)}
      onSignedOut={session.ended}
    />
  )
}

const pageOf = (load: () => Promise<Component>): Component => lazy(async () => pageWithMessages(await load()))

/** The page for administrators; for others a notice that they may not see it. */
function forAdministrators(load: () => Promise<Component>): Component {
  const Page = pageOf(load)
  return () => {
    const { admin } = useSession()
    return (
      <Show when={admin()} fallback={<NotAllowed />}>
        <Page />
      </Show>
    )
  }
}
