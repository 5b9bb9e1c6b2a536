import { createSignal, onMount, Show } from 'solid-js'
import { beginProviderSignIn, readStatus } from '#client/api/account.ts'
import { ApiError } from '#client/api/http.ts'
import { passkeysHere, prove, proveByPasskey, readProofMethods } from '#client/api/proofs.ts'
import { useSession } from '#client/api/session.ts'
import { announceError } from '#client/ui/announcer.tsx'
import { createAttempt } from '#client/ui/attempt.ts'
import { Button } from '#client/ui/button.tsx'
import { Segments } from '#client/ui/console/filters.tsx'
import { TextField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import type { ProofMethods } from '#shared/console/session'
import { t } from './messages.ts'

type Typed = 'password' | 'code' | 'recoveryCode'

/** The dialog: password, code, passkey or the identity provider, whichever the user has. */
export function ProofForm(props: { onEnd(proved: boolean): void }) {
  const { user } = useSession()
  const [methods, setMethods] = createSignal<ProofMethods>()
  // No resource: a suspended dialog is in the document before it hides the rest of the page, and would hide itself.
  onMount(async () => {
    try {
      const [own, status] = await Promise.all([readProofMethods(), readStatus()])
      setMethods({ ...own, passkey: own.passkey && passkeysHere(status.passkeys) })
    } catch (thrown) {
      setWrong(explain(thrown))
    }
  })
  const [chosen, setChosen] = createSignal<Typed>()
  const [text, setText] = createSignal('')
  const [wrong, setWrong] = createSignal('')
  const typed = (): Typed[] => {
    const own = methods()
    const all: [Typed, boolean | undefined][] = [
      ['password', own?.password],
      ['code', own?.app],
      ['recoveryCode', own?.recoveryCode],
    ]
    return all.flatMap(([kind, has]) => (has ? kind : []))
  }
  const kind = () => chosen() ?? typed()[0]
  const { busy, run } = createAttempt({
    begun: () => setWrong(''),
    failed(thrown) {
      setWrong(explain(thrown))
      announceError(wrong())
    },
  })
  const go = async (work: () => Promise<void>) => {
    if (await run(work)) props.onEnd(true)
  }
  const choose = (next: Typed) => {
    setChosen(next)
    setText('')
    setWrong('')
  }
  return (
    <Dialog
      title={t('proofTitle')}
      intro={t('proofIntro')}
      onClose={() => props.onEnd(false)}
      buttons={
        <>
          <Button onClick={() => props.onEnd(false)}>{tc('cancel')}</Button>
          <Show when={kind()}>
            <Button type="submit" form="proof" look="primary" busy={busy()}>
              {t('proofGo')}
            </Button>
          </Show>
        </>
      }
    >
      <div class="grid gap-4">
        <Show when={typed().length > 1}>
          <Segments
            label={t('proofBy')}
            value={kind() ?? 'password'}
            options={typed().map((value) => ({ value, label: t(`proof_${value}`) }))}
            onChange={choose}
          />
        </Show>
        <Show when={kind()} keyed>
          {(by) => (
            <form
              id="proof"
              class="form"
              onSubmit={(event) => {
                event.preventDefault()
                void go(() => prove({ [by]: text() }))
              }}
            >
              {/* Lets password managers associate the password with the user. */}
              <input hidden type="text" autocomplete="username" readonly value={user().name} />
              <TextField
                label={t(`proof_${by}`)}
                type={by === 'password' ? 'password' : 'text'}
                autocomplete={by === 'password' ? 'current-password' : 'one-time-code'}
                required
                value={text()}
                onChange={setText}
              />
            </form>
          )}
        </Show>
        <Show when={methods()?.passkey}>
          <Button icon="key" busy={busy()} onClick={() => void go(proveByPasskey)}>
            {t('proofPasskey')}
          </Button>
        </Show>
        <Show when={methods()?.provider}>
          <div class="grid gap-1.5">
            <Button
              busy={busy()}
              onClick={() =>
                void beginProviderSignIn({ to: location.pathname + location.search, proof: true }).catch((thrown) =>
                  setWrong(explain(thrown)),
                )
              }
            >
              {t('proofProvider')}
            </Button>
            <p class="hint">{t('proofProviderHint')}</p>
          </div>
        </Show>
        <Show when={wrong()}>
          <p class="notice bad">{wrong()}</p>
        </Show>
      </div>
    </Dialog>
  )
}

function explain(thrown: unknown): string {
  if (!(thrown instanceof ApiError)) return t('proofFailed', { code: 'unexpected' })
  if (thrown.code === 'invalid_credentials') return t('proofWrong')
  if (thrown.code === 'passkey_refused') return t('proofNoPasskey')
  if (thrown.status === 429) return t('proofWait')
  return thrown.message || t('proofFailed', { code: thrown.code })
}
