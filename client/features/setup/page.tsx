import { createSignal, Show } from 'solid-js'
import { setUp } from '#client/api/account.ts'
import { ApiError } from '#client/api/http.ts'
import { announceError } from '#client/ui/announcer.tsx'
import { Button } from '#client/ui/button.tsx'
import { Field } from '#client/ui/field.tsx'
import type { UserRow } from '#shared/console/user'
import { FirstKey } from './first-key.tsx'
import { t } from './messages.ts'
import { SetupSteps } from './setup-steps.tsx'

interface Made {
  user: UserRow
  key: { name: string; key: string }
}

/** First run: enter the setup token, create the administrator, copy the first key. Shown only while the server needs setup. */
export function SetupPage(props: { onSignedIn(user: UserRow): void; onAlreadyDone(): void }) {
  const [made, setMade] = createSignal<Made | null>(null)
  return (
    <main class="grid min-h-dvh grid-cols-1 content-start bg-surface min-[760px]:grid-cols-[300px_minmax(0,1fr)] min-[760px]:content-stretch">
      <SetupSteps current={made() ? 2 : 0} />
      <section class="max-w-[600px] px-4 pt-5 pb-10 min-[760px]:px-16 min-[760px]:pt-[76px]">
        <Show when={made()} fallback={<SetupForm onMade={setMade} onAlreadyDone={props.onAlreadyDone} />}>
          {(answer) => <FirstKey name={answer().key.name} secret={answer().key.key} onDone={() => props.onSignedIn(answer().user)} />}
        </Show>
      </section>
    </main>
  )
}

function SetupForm(props: { onMade(made: Made): void; onAlreadyDone(): void }) {
  const [token, setToken] = createSignal('')
  const [name, setName] = createSignal('admin')
  const [password, setPassword] = createSignal('')
  const [busy, setBusy] = createSignal(false)
  const [failure, setFailure] = createSignal<ApiError | null>(null)
  const tokenIsWrong = () => failure()?.code === 'invalid_setup_token'

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (busy()) return
    setBusy(true)
    setFailure(null)
    try {
      props.onMade(await setUp(token().trim(), name().trim(), password()))
    } catch (thrown) {
      setFailure(thrown instanceof ApiError ? thrown : new ApiError('', { status: 0, code: 'unexpected' }))
      announceError(explain(failure()))
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      <h1 class="text-[20px]/[28px] tracking-[-0.02em] min-[760px]:text-[24px]/[32px]">{t('title')}</h1>
      <p class="mt-1 mb-6 max-w-[56ch] text-ink-2">{t('intro')}</p>
      <form class="grid gap-4" onSubmit={(event) => void submit(event)}>
        <Field
          label={t('token')}
          hint={t('tokenHint')}
          error={tokenIsWrong() ? t('wrongToken') : undefined}
          class="h-10! font-mono"
          autocomplete="off"
          spellcheck={false}
          required
          autofocus
          value={token()}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <Field
          label={t('name')}
          class="h-10!"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          maxlength={120}
          required
          value={name()}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <Field
          label={t('password')}
          hint={t('passwordHint')}
          class="h-10!"
          type="password"
          autocomplete="new-password"
          minlength={8}
          maxlength={1024}
          required
          value={password()}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
        <Show when={failure() && !tokenIsWrong()}>
          <div class="notice bad grid justify-items-start gap-2">
            {explain(failure())}
            <Show when={failure()?.code === 'setup_done'}>
              <Button onClick={() => props.onAlreadyDone()}>{t('toSignIn')}</Button>
            </Show>
          </div>
        </Show>
        <Button type="submit" look="primary" size="lg" class="justify-self-start" busy={busy()}>
          {t('submit')}
        </Button>
      </form>
    </>
  )
}

function explain(failure: ApiError | null): string {
  if (failure === null) return ''
  if (failure.code === 'invalid_setup_token') return t('wrongToken')
  if (failure.code === 'setup_done') return t('done')
  if (failure.code === 'offline') return t('offline')
  return t('failed', { message: failure.message || failure.code })
}
