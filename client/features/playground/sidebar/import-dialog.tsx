import { createSignal, Show } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Button } from '#client/ui/button.tsx'
import { Dialog } from '#client/ui/dialog.tsx'
import { showToast } from '#client/ui/toast.tsx'
import { importJson } from './conversation-files.ts'

/**
 * Imports exported conversations from pasted or dropped text. There is no file field anywhere in this client, because the
 * playground takes no files.
 */
export function ImportDialog(props: { page: PageContext; onClose(): void }) {
  const [text, setText] = createSignal('')
  const [wrong, setWrong] = createSignal(false)
  const go = async () => {
    const entries = importJson(text())
    setWrong(!entries)
    if (!entries) return
    await props.page.playground.library.adopt(entries)
    props.onClose()
    showToast(t('imported', { count: entries.length }))
  }
  const drop = async (event: DragEvent) => {
    const file = event.dataTransfer?.files[0]
    if (!file) return
    event.preventDefault()
    event.stopPropagation()
    setText(await file.text())
  }
  return (
    <Dialog
      title={t('import')}
      intro={t('importIntro')}
      wide
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{t('cancel')}</Button>
          <Button look="primary" aria-disabled={text().trim() === '' ? 'true' : undefined} onClick={() => void go()}>
            {t('import')}
          </Button>
        </>
      }
    >
      <textarea
        class="in h-[240px]! font-mono text-[12px]!"
        spellcheck={false}
        aria-label={t('importField')}
        placeholder={t('importField')}
        aria-invalid={wrong() ? 'true' : undefined}
        aria-describedby={wrong() ? 'import-wrong' : undefined}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onDrop={(event) => void drop(event)}
      />
      <Show when={wrong()}>
        <p class="wrong mt-1.5" id="import-wrong">
          {t('importRefused')}
        </p>
      </Show>
    </Dialog>
  )
}
