import { createSignal, For } from 'solid-js'
import { Button } from '#client/ui/button.tsx'
import { copyText, downloadFile } from '#client/ui/copy-and-save.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { showToast } from '#client/ui/toast.tsx'
import { t } from './messages.ts'

/** New recovery codes, shown only once; leaving requires confirming that they are saved. */
export function RecoveryCodes(props: { codes: readonly string[]; onDone(): void }) {
  const [taken, setTaken] = createSignal(false)
  const text = () => `${props.codes.join('\n')}\n`
  const copy = async () => {
    await copyText(text())
    setTaken(true)
    showToast(t('codesCopied'))
  }
  const save = () => {
    downloadFile('parley-recovery-codes.txt', text())
    setTaken(true)
  }
  return (
    <Dialog
      title={t('codesTitle')}
      intro={t('codesIntro')}
      // A click outside the dialog must not lose them.
      onClose={() => taken() && props.onDone()}
      buttons={
        <>
          <Button icon="copy" onClick={() => void copy()}>
            {t('codesCopy')}
          </Button>
          <Button icon="download" onClick={save}>
            {t('codesSave')}
          </Button>
          <Button look="primary" onClick={() => props.onDone()}>
            {t('codesDone')}
          </Button>
        </>
      }
    >
      <ul class="mono grid grid-cols-1 gap-x-6 gap-y-1 text-[13px] min-[420px]:grid-cols-2" aria-label={t('codesTitle')}>
        <For each={props.codes}>{(code) => <li>{code}</li>}</For>
      </ul>
    </Dialog>
  )
}
