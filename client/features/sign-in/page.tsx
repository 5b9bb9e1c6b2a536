import { createSignal, Show } from 'solid-js'
import { beginProviderSignIn, signIn } from '#client/api/account.ts'
import { ApiError } from '#client/api/http.ts'
import { announceError } from '#client/ui/announcer.tsx'
import { Button } from '#client/ui/button.tsx'
import { Field } from '#client/ui/field.tsx'
import { SplitPage } from '#client/ui/split-page.tsx'
import type { UserRow } from '#shared/console/user'
import { GatewayIllustration } from './gateway-illustration.tsx'
import { t } from './messages.ts'

/**
 * Signs in with username and password, or through the identity provider where there is one. Password managers and pasting work; a
 * failure keeps what was typed.
 */
export function SignInPage(props: { singleSignOn: boolean; onSignedIn(user: UserRow): void }) {
  const [name, setName] = createSignal('')
  const [password, setPassword] = createSignal('')
  const [busy, setBusy] = createSignal(false)
  const [wrong, setWrong] = createSignal(failureInAddress())

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (busy()) return
    setBusy(true)
    setWrong('')
    try {
      props.onSignedIn(await signIn(name(), password()))
    } catch (thrown) {
      setWrong(explain(thrown))
      announceError(wrong())
    } finally {
      setBusy(false)
    }
  }

  const goToProvider = async () => {
    setBusy(true)
    setWrong('')
    try {
      await beginProviderSignIn({ to: `${location.pathname}${location.search}${location.hash}` })
    } catch (thrown) {
      setWrong(thrown instanceof ApiError && thrown.code === 'upstream_error' ? t('providerUnavailable') : explain(thrown))
      announceError(wrong())
      setBusy(false)
    }
  }

  return (
    <SplitPage title={t('title')} intro={t('intro')} aside={<GatewayIllustration label={t('illustration')} />}>
      <form class="grid gap-4" onSubmit={(event) => void submit(event)}>
        <Field
          label={t('name')}
          class="h-10!"
          name="username"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          autofocus
          value={name()}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <Field
          label={t('password')}
          class="h-10!"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          value={password()}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
        <Show when={wrong()}>
          <p class="notice bad">{wrong()}</p>
        </Show>
        <Button type="submit" look="primary" size="lg" busy={busy()}>
          {t('submit')}
        </Button>
      </form>
      <Show when={props.singleSignOn}>
        <div class="my-4 flex items-center gap-3 text-[13px]/[18px] text-ink-3">
          <span class="h-px flex-1 bg-line" />
          {t('or')}
          <span class="h-px flex-1 bg-line" />
        </div>
        <Button size="lg" class="w-full" busy={busy()} onClick={() => void goToProvider()}>
          {t('provider')}
        </Button>
      </Show>
      {/* A provider creates accounts too. */}
      <Show when={!props.singleSignOn}>
        <p class="mt-5 text-[13px]/[18px] text-ink-3">{t('accounts')}</p>
      </Show>
    </SplitPage>
  )
}

const failures: Record<string, Parameters<typeof t>[0]> = {
  refused: 'providerRefused',
  expired: 'providerExpired',
  disabled: 'providerDisabled',
  unavailable: 'providerUnavailable',
}

/** Why the provider's answer did not sign in, from the address that it came back to; the address loses it. */
function failureInAddress(): string {
  const address = new URL(location.href)
  const word = address.searchParams.get('sign-in')
  if (word === null) return ''
  address.searchParams.delete('sign-in')
  history.replaceState(history.state, '', address)
  return t(failures[word] ?? 'providerRefused')
}

function explain(thrown: unknown): string {
  if (!(thrown instanceof ApiError)) return t('failed', { code: 'unexpected' })
  if (thrown.code === 'offline') return t('offline')
  if (thrown.status === 429) return t('tooMany')
  return thrown.status === 401 ? t('wrong') : t('failed', { code: thrown.code })
}
