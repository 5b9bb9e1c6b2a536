/** What can be asked here, with abilities, context, and the price in the chosen group. */
import { createMemo, For, Show } from 'solid-js'
import { useSession } from '#client/api/session.ts'
import { detailOf, explain } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Empty, Failure, NoMatch } from '#client/ui/console/states.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatCompact, formatPrice } from '#client/ui/format.ts'
import { Icon, type IconName } from '#client/ui/icon.tsx'
import type { GroupRow } from '#shared/console/group'
import type { ModelRow } from '#shared/console/model'
import { formatDecimal, parseDecimal } from '#shared/money'
import { t } from './messages.ts'

/** What a model may be able to do, with the icon for it. */
const skills: Record<'vision' | 'tools' | 'reasoning', IconName> = { vision: 'eye', tools: 'tool', reasoning: 'steps' }
type Skill = keyof typeof skills
const skillNames = Object.keys(skills) as Skill[]
const can = (row: ModelRow, skill: Skill) => (row.capabilities as Record<string, unknown>)[skill] === true

const uses = ['generate', 'embed', 'image', 'transcribe', 'speak', 'rerank', 'moderate', 'search', 'realtime'] as const

/** `/models` */
export function ModelsPage() {
  const { user } = useSession()
  const url = useUrlState()
  const group = () => url.get('group') || user().group
  const groups = createLoad(
    () => '/api/groups',
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  const models = createLoad(group, (name, signal) => readAll<ModelRow>(`/api/models?group=${encodeURIComponent(name)}`, signal, 10_000))
  const ratio = () => groups.value()?.find((row) => row.name === group())?.ratio ?? '1'
  const wanted = () => skillNames.filter((skill) => url.get('can').split(',').includes(skill))
  const toggle = (skill: Skill) =>
    url.set({ can: skillNames.filter((one) => wanted().includes(one) !== (one === skill)).join(',') }, { replace: true })
  const rows = createMemo(() => {
    const q = url.get('q').toLowerCase()
    const use = url.get('use')
    const fits = (row: ModelRow) => use === '' || (row.operations as string[]).includes(use)
    return models.value()?.filter((row) => row.id.toLowerCase().includes(q) && fits(row) && wanted().every((skill) => can(row, skill)))
  })
  const filters = () => [url.get('q'), url.get('use'), ...wanted().map((skill) => t(skill))].filter(Boolean).join(', ')
  const price = (row: ModelRow, field: 'input' | 'output' | 'cacheRead') => {
    const usd = row.price[field]
    if (usd === undefined) return <span class="na">–</span>
    // Exactly: prices have nine places, ratios six.
    return `$${formatPrice(formatDecimal(parseDecimal(usd, 9) * parseDecimal(ratio(), 6), 15))}`
  }
  return (
    <Page title={t('title')}>
      <FilterBar>
        <SearchField label={t('find')} value={url.get('q')} onSearch={(q) => url.set({ q }, { replace: true })} />
        <FilterChip
          label={t('group')}
          none={user().group}
          value={url.get('group')}
          options={(groups.value() ?? []).filter((row) => row.name !== user().group).map((row) => ({ value: row.name, label: row.name }))}
          onChange={(name) => url.set({ group: name })}
        />
        <FilterChip
          label={t('operation')}
          none={t('all')}
          value={url.get('use')}
          options={uses.map((value) => ({ value, label: t(value) }))}
          onChange={(use) => url.set({ use })}
        />
        <For each={skillNames}>
          {(skill) => (
            <button
              type="button"
              class="chip"
              classList={{ on: wanted().includes(skill) }}
              aria-pressed={wanted().includes(skill)}
              onClick={() => toggle(skill)}
            >
              <Icon name={skills[skill]} />
              {t(skill)}
            </button>
          )}
        </For>
      </FilterBar>
      <Show
        when={models.error() === undefined || models.value()}
        fallback={
          <Show when={models.error()}>
            {(error) => <Failure text={explain(error())} detail={detailOf(error())} onRetry={() => void models.reload()} />}
          </Show>
        }
      >
        <DataTable
          label={t('title')}
          rows={rows()}
          rowId={(row) => row.id}
          stale={models.loading()}
          columns={[
            { id: 'model', label: t('model'), card: 'title', cell: (row) => <b>{row.id}</b> },
            {
              id: 'abilities',
              label: t('abilities'),
              cell: (row) => (
                <span class="text-ink-2">
                  {[
                    ...row.operations.filter((one) => uses.some((use) => use === one)).map((one) => t(one as 'generate')),
                    ...skillNames.filter((skill) => can(row, skill)).map((skill) => t(skill)),
                  ].join(', ')}
                </span>
              ),
            },
            {
              id: 'context',
              label: t('context'),
              right: true,
              cell: (row) => (row.contextTokens === null ? <span class="na">–</span> : formatCompact(row.contextTokens)),
            },
            {
              id: 'most',
              label: t('most'),
              right: true,
              wide: true,
              card: 'none',
              cell: (row) => (row.maxOutputTokens === null ? <span class="na">–</span> : formatCompact(row.maxOutputTokens)),
            },
            {
              id: 'protocols',
              label: t('protocols'),
              wide: true,
              card: 'none',
              cell: (row) => <span class="text-ink-2">{row.dialects.join(', ')}</span>,
            },
            { id: 'input', label: t('input'), right: true, cell: (row) => price(row, 'input') },
            { id: 'output', label: t('output'), right: true, cell: (row) => price(row, 'output') },
            { id: 'cacheRead', label: t('cacheRead'), right: true, wide: true, cell: (row) => price(row, 'cacheRead') },
          ]}
          empty={
            <Show when={filters()} fallback={<Empty title={t('empty')}>{t('emptyWhy')}</Empty>}>
              {(names) => <NoMatch filters={names()} onClear={() => url.set({ q: '', use: '', can: '' })} />}
            </Show>
          }
          foot={t('count', { count: rows()?.length ?? 0 })}
          footEnd={t('units', { ratio: ratio(), group: group() })}
        />
      </Show>
    </Page>
  )
}
