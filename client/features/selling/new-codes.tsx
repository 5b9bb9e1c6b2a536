import { createSignal, Show, Suspense } from 'solid-js'
import { Button, IconButton } from '#client/ui/button.tsx'
import { AreaField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { copyText, downloadFile } from '#client/ui/copy-and-save.ts'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'
import { codesFile, type MadeCode } from './codes-file.ts'
import { t } from './messages.ts'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

/** The new codes, until closed. Closing before they were copied or downloaded asks first. */
export function NewCodes(props: { codes: readonly MadeCode[]; onClose(): void }) {
  const [taken, setTaken] = createSignal(false)
  const [asking, setAsking] = createSignal(false)
  const text = () => props.codes.map(({ code }) => code).join('\n')
  const copy = async () => {
    if (await copyText(text())) setTaken(true)
  }
  return (
    <section class="once" aria-label={t('onceLabel')}>
      <Icon name="key" />
      <div class="grid min-w-0 gap-2">
        <div>
          <h2>{t('onceTitle', { count: props.codes.length })}</h2>
          <p>{t('onceWhy')}</p>
        </div>
        <AreaField label={t('onceLabel')} mono readonly rows={Math.min(8, props.codes.length)} value={text()} onChange={() => undefined} />
        <div class="flex flex-wrap gap-2">
          <Button look="primary" size="sm" icon={taken() ? 'check' : 'copy'} onClick={() => void copy()}>
            {taken() ? tc('copied') : tc('copy')}
          </Button>
          <Button
            size="sm"
            icon="download"
            onClick={() => {
              downloadFile('parley-codes.csv', codesFile(props.codes))
              setTaken(true)
            }}
          >
            {t('download')}
          </Button>
        </div>
      </div>
      <IconButton name="x" label={tc('close')} onClick={() => (taken() ? props.onClose() : setAsking(true))} />
      <Suspense>
        <Show when={asking()}>
          <Confirm
            title={t('onceLeave')}
            intro={t('onceLeaveWhy')}
            safe={t('onceStay')}
            go={t('onceGo')}
            onClose={() => setAsking(false)}
            onGo={() => props.onClose()}
          />
        </Show>
      </Suspense>
    </section>
  )
}
