/** Exports kept conversations as a data set: loaded page by page, saved as one file, with what was left out and why. */
import { createSignal, onCleanup, Show } from 'solid-js'
import { noLongerNeeded } from '#client/api/abort-reason.ts'
import { readError, send } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { SelectField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { downloadFile } from '#client/ui/copy-and-save.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { type DatasetForm, datasetForms, datasetHeaders, type LeftOutReason, leftOutReasons } from '#shared/console/body'
import { t } from './messages.ts'

/** What was found so far. */
interface Found {
  examples: number
  leftOut: Partial<Record<LeftOutReason, number>>
}

/** `query`: the filters of the list, as `/api/logs` takes them. */
export function ExportDialog(props: { query: string; onClose(): void }) {
  const [form, setForm] = createSignal<DatasetForm>('evals')
  const [found, setFound] = createSignal<Found>()
  const write = createWrite()
  const left = new AbortController()
  onCleanup(() => left.abort(noLongerNeeded))

  const read = async () => {
    const asked = new URLSearchParams(props.query)
    asked.delete('limit')
    asked.set('as', form())
    const pages: string[] = []
    setFound({ examples: 0, leftOut: {} })
    for (let next: string | null = ''; next !== null; ) {
      if (next !== '') asked.set('after', next)
      const answer = await send('GET', `/api/bodies/export?${asked}`, undefined, left.signal)
      if (!answer.ok) throw await readError(answer)
      const text = await answer.text()
      pages.push(text)
      setFound((known) => added(known, text, answer.headers.get(datasetHeaders.leftOut)))
      next = answer.headers.get(datasetHeaders.next)
    }
    if (found()?.examples) downloadFile(`${form()}.jsonl`, pages.join(''), 'application/jsonl')
  }
  const reasons = () =>
    leftOutReasons.flatMap((reason) => (found()?.leftOut[reason] ? `${t(`left_${reason}`)}: ${found()?.leftOut[reason]}` : []))
  return (
    <Dialog
      title={t('exportTitle')}
      intro={t('exportIntro')}
      onClose={() => props.onClose()}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('close')}</Button>
          <Button look="primary" busy={write.busy()} onClick={() => void write.run(read)}>
            {t('exportStart')}
          </Button>
        </>
      }
    >
      <div class="form">
        <SelectField
          label={t('exportForm')}
          value={form()}
          options={datasetForms.map((value) => ({ value, label: t(`form_${value}`) }))}
          onChange={(value) => setForm(value as DatasetForm)}
        />
        <div class="text-[13px]" role="status">
          <Show when={found()}>
            {(known) => (
              <>
                <p class="num">{t('exportFound', { count: known().examples })}</p>
                <Show when={reasons().length > 0}>
                  <p class="text-ink-2">{t('exportLeft', { reasons: reasons().join(', ') })}</p>
                </Show>
              </>
            )}
          </Show>
        </div>
        <Show when={write.error()}>{(error) => <p class="notice bad">{explain(error())}</p>}</Show>
      </div>
    </Dialog>
  )
}

function added(known: Found | undefined, text: string, header: string | null): Found {
  const leftOut = { ...known?.leftOut }
  for (const part of header?.split(', ') ?? []) {
    const [name = '', count = '0'] = part.split('=')
    const reason = leftOutReasons.find((one) => one === name)
    if (reason) leftOut[reason] = (leftOut[reason] ?? 0) + Number(count)
  }
  return { examples: (known?.examples ?? 0) + text.split('\n').length - 1, leftOut }
}
