import { createResource, createSignal, Match, Show, Switch } from 'solid-js'
import { beginProviderSignIn } from '#client/api/account.ts'
import { ApiError } from '#client/api/http.ts'
import { acceptInvitation, joinByInvitation, lookAtInvitation } from '#client/api/invitations.ts'
import { GatewayIllustration } from '#client/console/gateway-illustration.tsx'
import { SplitPage } from '#client/console/split-page.tsx'
import { announceError } from '#client/ui/announcer.tsx'
import { createAttempt } from '#client/ui/attempt.ts'
import { Button } from '#client/ui/button.tsx'
import { formatWhen } from '#client/ui/console/time.ts'
import { Field } from '#client/ui/field.tsx'
import type { InvitationFacts, UserRow } from '#shared/console/user'
import { t } from './messages.ts'

/**
 * `/join`: shows an invitation and accepts it. The secret is in the URL's fragment, so that no server but this one
 * sees it. A signed-in user without one has just joined through the identity provider.
 */
export function JoinPage(props: { user: UserRow | null; singleSignOn: boolean }) {
  const token = decodeURIComponent(location.hash.slice(1))
  const failed = new URLSearchParams(location.search).has('sign-in')
  const [facts, { refetch }] = createResource(async () => (token === '' ? null : lookAtInvitation(token)))
  const isOver = () => failed || isGone(facts.error)
  const intro = (found: InvitationFacts) =>
    found.team === null ? t('intro', { by: found.by }) : t('introTeam', { by: found.by, team: found.team })
  return (
    <Switch>
      <Match when={facts.loading}>
        <SplitPage title={t('title')} intro={t('looking')} aside={<GatewayIllustration />}>
          <span role="status" class="sr-only">
            {t('looking')}
          </span>
        </SplitPage>
      </Match>
      <Match when={isOver()}>
        <SplitPage title={t('over')} intro={t('overWhy')} aside={<GatewayIllustration />}>
          <a class="btn lg w-full" href="/">
            {t('go')}
          </a>
        </SplitPage>
      </Match>
      <Match when={facts.error !== undefined}>
        <SplitPage title={t('notRead')} intro={explain(facts.error)} aside={<GatewayIllustration />}>
          <Button look="primary" size="lg" class="w-full" onClick={() => void refetch()}>
            {t('again')}
          </Button>
        </SplitPage>
      </Match>
      <Match when={token === ''}>
        <Show
          when={props.user}
          fallback={
            <SplitPage title={t('incomplete')} intro={t('incompleteWhy')} aside={<GatewayIllustration />}>
              <a class="btn lg w-full" href="/">
                {t('signIn')}
              </a>
            </SplitPage>
          }
        >
          <SplitPage title={t('in')} intro={t('inWhy')} aside={<GatewayIllustration />}>
            <a class="btn primary lg w-full" href="/team">
              {t('go')}
            </a>
          </SplitPage>
        </Show>
      </Match>
      <Match when={facts()}>
        {(found) => (
          <SplitPage title={t('title')} intro={intro(found())} aside={<GatewayIllustration />}>
            <div class="grid gap-4">
              <Show when={found().role === 'admin'}>
                <p class="notice">{t('asAdmin')}</p>
              </Show>
              <Show when={props.user} fallback={<NewAccount token={token} singleSignOn={props.singleSignOn} facts={found()} />}>
                {(user) => <Accept token={token} user={user()} facts={found()} />}
              </Show>
              <p class="text-[13px]/[18px] text-ink-3">{t('until', { time: formatWhen(found().expiresAt) })}</p>
            </div>
          </SplitPage>
        )}
      </Match>
    </Switch>
  )
}

/** Reloads the page, with the user's new state from the server. */
const goOn = (facts: InvitationFacts) => location.assign(facts.team === null ? '/' : '/team')

function NewAccount(props: { token: string; singleSignOn: boolean; facts: InvitationFacts }) {
  const [name, setName] = createSignal('')
  const [password, setPassword] = createSignal('')
  const [error, setError] = createSignal<unknown>()
  const code = () => (error() instanceof ApiError ? (error() as ApiError).code : undefined)
  const { busy, run } = createAttempt({
    begun: () => setError(undefined),
    failed(thrown) {
      setError(thrown)
      announceError(explain(thrown))
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run(async () => {
      await joinByInvitation(props.token, name().trim(), password())
      goOn(props.facts)
    })
  }
  return (
    <>
      <form class="grid gap-4" onSubmit={submit}>
        <Field
          label={t('name')}
          class="h-10!"
          name="username"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          maxlength={120}
          autofocus
          value={name()}
          error={code() === 'name_taken' ? t('taken') : undefined}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <Field
          label={t('password')}
          hint={t('passwordHint')}
          class="h-10!"
          name="password"
          type="password"
          autocomplete="new-password"
          required
          minlength={8}
          value={password()}
          error={code() === 'weak_password' ? t('weak') : undefined}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
        <Show when={error() !== undefined && code() !== 'name_taken' && code() !== 'weak_password'}>
          <p class="notice bad">{explain(error())}</p>
        </Show>
        <Button type="submit" look="primary" size="lg" busy={busy()}>
          {t('join')}
        </Button>
      </form>
      <Show when={props.singleSignOn}>
        <div class="flex items-center gap-3 text-[13px]/[18px] text-ink-3">
          <span class="h-px flex-1 bg-line" />
          {t('or')}
          <span class="h-px flex-1 bg-line" />
        </div>
        <Button
          size="lg"
          class="w-full"
          busy={busy()}
          onClick={() => void run(() => beginProviderSignIn({ to: '/join', invitation: props.token }))}
        >
          {t('provider')}
        </Button>
      </Show>
      <Show when={props.facts.team !== null}>
        <p class="text-[13px]/[18px] text-ink-3">
          {t('have')}{' '}
          <a class="underline" href="/">
            {t('signIn')}
          </a>
        </p>
      </Show>
    </>
  )
}

function Accept(props: { token: string; user: UserRow; facts: InvitationFacts }) {
  const [wrong, setWrong] = createSignal('')
  const { busy, run } = createAttempt({
    begun: () => setWrong(''),
    failed(thrown) {
      setWrong(thrown instanceof ApiError && thrown.code === 'name_taken' ? t('inAlready') : explain(thrown))
      announceError(wrong())
    },
  })
  const accept = () =>
    run(async () => {
      await acceptInvitation(props.token)
      goOn(props.facts)
    })
  return (
    <Show
      when={props.facts.team !== null}
      fallback={
        <>
          <p class="notice">{t('notForYou')}</p>
          <a class="btn lg w-full" href="/">
            {t('go')}
          </a>
        </>
      }
    >
      <Show when={wrong()}>
        <p class="notice bad">{wrong()}</p>
      </Show>
      <Button look="primary" size="lg" busy={busy()} onClick={() => void accept()}>
        {t('accept', { name: props.user.name })}
      </Button>
    </Show>
  )
}

/** Whether this means that the link is not valid; other errors say nothing about the link. */
const isGone = (thrown: unknown) => thrown instanceof ApiError && thrown.code === 'not_found'

function explain(thrown: unknown): string {
  if (!(thrown instanceof ApiError)) return t('failed', { code: 'unexpected' })
  if (thrown.code === 'offline') return t('offline')
  if (thrown.code === 'not_found') return t('overWhy')
  if (thrown.status === 502) return t('providerUnavailable')
  return thrown.message || t('failed', { code: thrown.code })
}
