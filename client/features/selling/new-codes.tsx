import { ShownOnce } from '#client/console/shown-once.tsx'
import { Button } from '#client/ui/button.tsx'
import { AreaField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { copyText, downloadFile } from '#client/ui/copy-and-save.ts'
import { codesFile, type MadeCode } from './codes-file.ts'
import { t } from './messages.ts'

/** The new codes. */
export function NewCodes(props: { codes: readonly MadeCode[]; onClose(): void }) {
  const text = () => props.codes.map(({ code }) => code).join('\n')
  return (
    <ShownOnce
      label={t('onceLabel')}
      title={t('onceTitle', { count: props.codes.length })}
      why={t('onceWhy')}
      leave={{ title: t('onceLeave'), intro: t('onceLeaveWhy'), safe: t('onceStay'), go: t('onceGo') }}
      onClose={props.onClose}
    >
      {(onTaken, taken) => (
        <>
          <AreaField
            label={t('onceLabel')}
            mono
            readonly
            rows={Math.min(8, props.codes.length)}
            value={text()}
            onChange={() => undefined}
          />
          <div class="flex flex-wrap gap-2">
            <Button
              look="primary"
              size="sm"
              icon={taken() ? 'check' : 'copy'}
              onClick={() => void copyText(text()).then((done) => done && onTaken())}
            >
              {taken() ? tc('copied') : tc('copy')}
            </Button>
            <Button
              size="sm"
              icon="download"
              onClick={() => {
                downloadFile('parley-codes.csv', codesFile(props.codes))
                onTaken()
              }}
            >
              {t('download')}
            </Button>
          </div>
        </>
      )}
    </ShownOnce>
  )
}
