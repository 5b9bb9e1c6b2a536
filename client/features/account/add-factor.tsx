/** Adding a second factor: an authenticator app by its QR code, or a passkey. */
import { createSignal, Show } from 'solid-js'
import { addPasskey, beginApp, confirmApp } from '#client/api/proofs.ts'
import { errorAt, explain } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { QrCode } from '#client/ui/chart/qr-code.tsx'
import { CopyButton } from '#client/ui/console/copy.tsx'
import { TextField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import type { AppRow } from '#shared/console/session'
import { t } from './messages.ts'

interface AddProps {
  /** With recovery codes if this is the first factor. */
  onAdded(codes: readonly string[]): void
  onClose(): void
}

/** An authenticator app: a name, then its code. */
export function AddAppDialog(props: AddProps) {
  const [name, setName] = createSignal(t('appUsual'))
  const [app, setApp] = createSignal<AppRow>()
  const [code, setCode] = createSignal('')
  const write = createWrite()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const begun = app()
    await write.run(async () => {
      if (begun === undefined) setApp(await beginApp(name().trim()))
      else props.onAdded(await confirmApp(begun.id, code()))
    })
  }
  const codeError = () => (write.error()?.param === 'code' ? t('codeWrong') : errorAt(write.error(), 'code'))
  return (
    <Dialog
      title={t('appTitle')}
      intro={t(app() ? 'appScan' : 'appIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form="add-app" look="primary" busy={write.busy()}>
            {t(app() ? 'appConfirm' : 'next')}
          </Button>
        </>
      }
    >
      <form id="add-app" class="form" onSubmit={(event) => void submit(event)}>
        <Show
          when={app()}
          fallback={
            <TextField label={t('factorName')} hint={t('factorNameHint')} required maxlength={64} value={name()} onChange={setName} />
          }
        >
          {(begun) => (
            <>
              <div class="grid justify-items-center">
                <QrCode text={begun().uri} label={t('appQr')} />
              </div>
              <div class="field">
                <span class="text-[13px]/[18px] font-medium">{t('appSecret')}</span>
                <span class="flex items-center gap-2">
                  <code class="mono wrap-anywhere min-w-0 flex-1 text-[12px]">{begun().secret}</code>
                  <CopyButton text={begun().secret} what={t('appSecret')} />
                </span>
              </div>
              <TextField
                label={t('appCode')}
                required
                mono
                maxlength={12}
                autocomplete="one-time-code"
                value={code()}
                error={codeError()}
                onChange={setCode}
              />
            </>
          )}
        </Show>
        <Show when={write.error() && codeError() === undefined && write.error()}>
          {(error) => <p class="notice bad">{explain(error())}</p>}
        </Show>
      </form>
    </Dialog>
  )
}

/** A passkey: a name, then the browser's own dialog. */
export function AddPasskeyDialog(props: AddProps) {
  const [name, setName] = createSignal(t('passkeyUsual'))
  const write = createWrite()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    await write.run(async () => props.onAdded(await addPasskey(name().trim())))
  }
  return (
    <Dialog
      title={t('passkeyTitle')}
      intro={t('passkeyIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form="add-passkey" look="primary" busy={write.busy()}>
            {t('next')}
          </Button>
        </>
      }
    >
      <form id="add-passkey" class="form" onSubmit={(event) => void submit(event)}>
        <TextField label={t('factorName')} hint={t('factorNameHint')} required maxlength={64} value={name()} onChange={setName} />
        <Show when={write.error()}>
          {(error) => <p class="notice bad">{error().code === 'passkey_refused' ? t('passkeyRefused') : explain(error())}</p>}
        </Show>
      </form>
    </Dialog>
  )
}
