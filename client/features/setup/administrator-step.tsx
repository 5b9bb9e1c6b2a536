import { createSignal, Show } from 'solid-js'
import { setUp } from '#client/api/account.ts'
import { ApiError } from '#client/api/http.ts'
import { announceError } from '#client/ui/announcer.tsx'
import { createAttempt } from '#client/ui/attempt.ts'
import { Button } from '#client/ui/button.tsx'
import { Field } from '#client/ui/field.tsx'
import type { UserRow } from '#shared/console/user'
import { t } from './messages.ts'
import { StepFrame } from './step-frame.tsx'

/** What setup has created. */
export interface Made {
  user: UserRow
  key: { name: string; key: string }
}

type Name = 'token' | 'name' | 'password'
const shortest = 8

/** The first step: the token that the server printed, and the administrator. Errors are shown at their fields. */
export function AdministratorStep(props: { onMade(made: Made, useDemo: boolean): void; onAlreadyDone(): void }) {
  const [values, setValues] = createSignal<Record<Name, string>>({ token: '', name: 'admin', password: '' })
  const [faults, setFaults] = createSignal<Partial<Record<Name, string>>>({})
  const [failure, setFailure] = createSignal<ApiError>()
  let form: HTMLFormElement | undefined

  const show = (found: Partial<Record<Name, string>>) => {
    setFaults(found)
    const [first] = Object.keys(found)
    if (first === undefined) return
    announceError(Object.values(found).join(' '))
    queueMicrotask(() => form?.querySelector<HTMLInputElement>('[aria-invalid="true"]')?.focus())
  }
  const { busy, run } = createAttempt({
    begun: () => setFailure(undefined),
    failed(thrown) {
      const failure = thrown instanceof ApiError ? thrown : new ApiError('', { status: 0, code: 'unexpected' })
      const at = faultOf(failure)
      if (at) show(at)
      else {
        setFailure(failure)
        announceError(explain(failure))
      }
    },
  })
  const submit = (useDemo: boolean) => {
    const { token, name, password } = values()
    const missing = {
      ...(token.trim() === '' && { token: t('tokenMissing') }),
      ...(name.trim() === '' && { name: t('nameMissing') }),
      ...(password.length < shortest && { password: password === '' ? t('passwordMissing') : t('passwordShort', { count: shortest }) }),
    }
    show(missing)
    if (Object.keys(missing).length > 0) return setFailure(undefined)
    void run(async () => props.onMade(await setUp(token.trim(), name.trim(), password), useDemo))
  }
  const field = (name: Name) => ({
    value: values()[name],
    error: faults()[name],
    class: 'h-10!',
    onInput: (event: InputEvent & { currentTarget: HTMLInputElement }) => {
      setValues({ ...values(), [name]: event.currentTarget.value })
      if (faults()[name] !== undefined) setFaults({ ...faults(), [name]: undefined })
    },
  })

  return (
    <form
      ref={form}
      novalidate
      onSubmit={(event) => {
        event.preventDefault()
        submit(false)
      }}
    >
      <StepFrame
        title={t('title')}
        intro={t('intro')}
        step={1}
        buttons={
          <>
            <Button type="submit" look="primary" size="lg" busy={busy()}>
              {t('continue')}
            </Button>
            <Button look="ghost" size="lg" onClick={() => submit(true)}>
              {t('useDemo')}
            </Button>
          </>
        }
      >
        <div class="grid max-w-[480px] gap-4">
          <Field label={t('token')} hint={t('tokenHint')} autocomplete="off" spellcheck={false} autofocus {...field('token')} />
          <Field
            label={t('name')}
            hint={t('nameHint')}
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            maxlength={120}
            {...field('name')}
          />
          <Field
            label={t('password')}
            hint={t('passwordHint')}
            type="password"
            autocomplete="new-password"
            maxlength={1024}
            {...field('password')}
          />
          <Show when={failure()}>
            {(failed) => (
              <div class="notice bad grid justify-items-start gap-2">
                {explain(failed())}
                <Show when={failed().code === 'setup_done'}>
                  <Button onClick={() => props.onAlreadyDone()}>{t('toSignIn')}</Button>
                </Show>
              </div>
            )}
          </Show>
        </div>
      </StepFrame>
    </form>
  )
}

/** The field of an error, with a message for it. */
function faultOf({ code, param, message }: ApiError): Partial<Record<Name, string>> | undefined {
  if (code === 'invalid_setup_token') return { token: t('wrongToken') }
  if (code === 'weak_password') return { password: t('weak') }
  if (code === 'name_taken') return { name: t('nameTaken') }
  if (param === 'password') return { password: t('passwordShort', { count: shortest }) }
  if (param === 'name') return { name: t('nameOdd') }
  return param === 'token' ? { token: message } : undefined
}

function explain({ code, message }: ApiError): string {
  if (code === 'setup_done') return t('done')
  if (code === 'offline') return t('offline')
  return t('failed', { message: message || code })
}
