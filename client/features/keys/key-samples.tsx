import { createEffect, createSignal, on } from 'solid-js'
import { createLoad, readAll } from '#client/console/load.ts'
import { samplesFor } from '#client/console/snippets.ts'
import { CodeSample } from '#client/ui/console/copy.tsx'
import { SelectField } from '#client/ui/console/form.tsx'
import type { KeyRow } from '#shared/console/key'
import type { ModelRow } from '#shared/console/model'
import { ModelSet } from '#shared/model-pattern'
import { t } from './messages.ts'

/** Samples for the key with curl, SDKs and agents, with a model that it may use. */
export function KeySamples(props: { row: KeyRow }) {
  const models = createLoad(
    () => props.row.group ?? '',
    (group, signal) => readAll<ModelRow>(`/api/models${group === '' ? '' : `?group=${encodeURIComponent(group)}`}`, signal),
  )
  const names = () => {
    const offered = (models.value() ?? []).filter((row) => row.operations.includes('generate')).map((row) => row.id)
    const allowed = props.row.models && new ModelSet(props.row.models)
    return allowed === null ? offered : offered.filter((id) => allowed.has(id))
  }
  const [model, setModel] = createSignal('')
  createEffect(on(names, (known) => known.length > 0 && !known.includes(model()) && setModel(known[0] ?? '')))
  return (
    <div class="stack max-w-[760px]">
      <p class="text-ink-2">
        {t('useIntro')} <a href="/docs">{t('useDocs')}</a>
      </p>
      <SelectField label={t('useModel')} value={model()} options={names().map((value) => ({ value, label: value }))} onChange={setModel} />
      <CodeSample label={t('samples')} samples={samplesFor(location.origin, model() || 'MODEL')} />
    </div>
  )
}
