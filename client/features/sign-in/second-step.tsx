import { createSignal, Show } from 'solid-js'
import type { Entry } from '#client/api/account.ts'
import { ApiError } from '#client/api/http.ts'
import { giveFactor, givePasskey } from '#client/api/proofs.ts'
import { GatewayIllustration } from '#client/console/gateway-illustration.tsx'
import { SplitPage } from '#client/console/split-page.tsx'
import { announceError } from '#client/ui/announcer.tsx'
import { createAttempt } from '#client/ui/attempt.ts'
import { Button } from '#client/ui/button.tsx'
import { Field } from '#client/ui/field.tsx'
import type { FactorMethods } from '#shared/console/session'
import { explain } from './explain.ts'
import { t } from './messages.ts'

/** The second factor of a sign-in: a code of the app, a passkey, or a recovery code. */
export function SecondStep(props: { methods: FactorMethods; passkeys: boolean; onEntered(entry: Entry): void; onBack(): void }) {
  const [recovering, setRecovering] = createSignal(!props.methods.app && !(props.methods.passkey && props.passkeys))
  const [code, setCode] = createSignal('')
  const [wrong, setWrong] = createSignal('')
  const { busy, run } = createAttempt({
    begun: () => setWrong(''),
    failed(thrown) {
      setWrong(thrown instanceof ApiError && thrown.code === 'invalid_credentials' ? t('wrongFactor') : explain(thrown))
      announceError(wrong())
    },
  })
  const enter = (entry: () => Promise<Entry>) => run(async () => props.onEntered(await entry()))
  const typed = () => recovering() || props.methods.app
  return (
    <SplitPage title={t('stepTitle')} intro={t('stepIntro')} aside={<GatewayIllustration />}>
      <Show when={typed()}>
        <form
          class="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            void enter(() => giveFactor(recovering() ? { recoveryCode: code() } : { code: code() }))
          }}
        >
          <Field
            label={t(recovering() ? 'recoveryCode' : 'code')}
            hint={t(recovering() ? 'recoveryHint' : 'codeHint')}
            class="h-10! font-mono"
            name="code"
            autocomplete="one-time-code"
            inputmode={recovering() ? 'text' : 'numeric'}
            autocapitalize="none"
            spellcheck={false}
            required
            autofocus
            value={code()}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
          <Show when={wrong()}>
            <p class="notice bad">{wrong()}</p>
          </Show>
          <Button type="submit" look="primary" size="lg" busy={busy()}>
            {t('submit')}
          </Button>
        </form>
      </Show>
      <Show when={!typed() && wrong()}>
        <p class="notice bad mb-4">{wrong()}</p>
      </Show>
      <div class="mt-3 grid gap-3">
        <Show when={props.methods.passkey && props.passkeys}>
          <Button size="lg" icon="key" look={typed() ? 'plain' : 'primary'} busy={busy()} onClick={() => void enter(givePasskey)}>
            {t('usePasskey')}
          </Button>
        </Show>
        <Show when={props.methods.recoveryCode && !recovering()}>
          <Button
            look="ghost"
            onClick={() => {
              setRecovering(true)
              setCode('')
              setWrong('')
            }}
          >
            {t('useRecovery')}
          </Button>
        </Show>
        <Button look="ghost" onClick={() => props.onBack()}>
          {t('back')}
        </Button>
      </div>
    </SplitPage>
  )
}
