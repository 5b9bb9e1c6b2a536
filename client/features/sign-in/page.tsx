import { createSignal, Show } from 'solid-js'
import { beginProviderSignIn, type Entered, type Entry, signIn } from '#client/api/account.ts'
import { passkeysHere, signInByPasskey } from '#client/api/proofs.ts'
import { GatewayIllustration } from '#client/console/gateway-illustration.tsx'
import { SplitPage } from '#client/console/split-page.tsx'
import { announceError } from '#client/ui/announcer.tsx'
import { createAttempt } from '#client/ui/attempt.ts'
import { Button } from '#client/ui/button.tsx'
import { Field } from '#client/ui/field.tsx'
import type { FactorMethods } from '#shared/console/session'
import { explain } from './explain.ts'
import { t } from './messages.ts'
import { SecondStep } from './second-step.tsx'

/** Right after a sign-in at the provider, the available second factors are unknown. */
const anyFactor: FactorMethods = { app: true, passkey: true, recoveryCode: true }

/**
 * Signs in with username, password and, if required, a second factor; with a passkey alone; or through the identity provider
 * if there is one. Password managers and pasting work; a failure keeps what was typed.
 */
export function SignInPage(props: {
  singleSignOn: boolean
  /** The origin at which passkeys work. */
  passkeys: string | undefined
  onEntered(entered: Entered): void
}) {
  const word = takeProviderError()
  const [step, setStep] = createSignal<FactorMethods | undefined>(word === 'second-factor' ? anyFactor : undefined)
  const enter = (entry: Entry) => {
    if ('step' in entry) setStep(entry.step)
    else props.onEntered(entry)
  }
  return (
    <Show when={step()} fallback={<FirstStep {...props} word={word} onEntered={enter} />}>
      {(methods) => (
        <SecondStep methods={methods()} passkeys={passkeysHere(props.passkeys)} onEntered={enter} onBack={() => setStep(undefined)} />
      )}
    </Show>
  )
}

function FirstStep(props: {
  singleSignOn: boolean
  passkeys: string | undefined
  word: string | undefined
  onEntered(entry: Entry): void
}) {
  const [name, setName] = createSignal('')
  const [password, setPassword] = createSignal('')
  const [wrong, setWrong] = createSignal(
    props.word === undefined || props.word === 'second-factor' ? '' : t(failures[props.word] ?? 'providerRefused'),
  )

  const { busy, run } = createAttempt({
    begun: () => setWrong(''),
    failed(thrown) {
      setWrong(explain(thrown))
      announceError(wrong())
    },
  })
  const enter = (entry: () => Promise<Entry>) => run(async () => props.onEntered(await entry()))
  const goToProvider = () => run(() => beginProviderSignIn({ to: `${location.pathname}${location.search}${location.hash}` }))

  return (
    <SplitPage title={t('title')} intro={t('intro')} aside={<GatewayIllustration />}>
      <form
        class="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void enter(() => signIn(name(), password()))
        }}
      >
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
      <Show when={passkeysHere(props.passkeys)}>
        <Button size="lg" class="mt-3 w-full" icon="key" busy={busy()} onClick={() => void enter(signInByPasskey)}>
          {t('usePasskey')}
        </Button>
      </Show>
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
  wait: 'tooMany',
}

/** The result of a provider sign-in from the URL; removes it from the URL. */
function takeProviderError(): string | undefined {
  const address = new URL(location.href)
  const word = address.searchParams.get('sign-in')
  if (word === null) return undefined
  address.searchParams.delete('sign-in')
  history.replaceState(history.state, '', address)
  return word
}
