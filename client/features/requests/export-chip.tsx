/** The button for exporting the kept requests of the list. */
import { createSignal, Show } from 'solid-js'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'
import { t } from './messages.ts'

const ExportDialog = later(async () => (await import('./export-dialog.tsx')).ExportDialog)

/** `query`: the filters of the list, as `/api/logs` takes them. */
export function ExportChip(props: { query: string }) {
  const [exporting, setExporting] = createSignal(false)
  return (
    <>
      <button type="button" class="chip border-dashed" onClick={() => setExporting(true)}>
        <Icon name="download" small />
        {t('export')}
      </button>
      <Show when={exporting()}>
        <ExportDialog query={props.query} onClose={() => setExporting(false)} />
      </Show>
    </>
  )
}
