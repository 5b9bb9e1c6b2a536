/** The available models with capabilities, context, and price in the chosen group. The open model is in a drawer, and in the URL. */

import { For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createLoad, createPages, queryOf, readAll } from '#client/console/load.ts'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { ShortName } from '#client/ui/console/monogram.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Empty, NoMatch } from '#client/ui/console/states.tsx'
import { DataTable, type Sort } from '#client/ui/console/table.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { formatCompact, formatPrice } from '#client/ui/format.ts'
import { Icon, type IconName } from '#client/ui/icon.tsx'
import type { GroupRow } from '#shared/console/group'
import { type ModelRow, modelSkills, type Page as PageOf } from '#shared/console/model'
import { dialects } from '#shared/ids'
import { formatDecimal, parseDecimal } from '#shared/money'
import { alsoCosts } from './also-costs.ts'
import { t } from './messages.ts'
import { ModelDrawer } from './model-drawer.tsx'

/** Icons of model capabilities. */
const skills: Record<(typeof modelSkills)[number], IconName> = { vision: 'eye', tools: 'tool', reasoning: 'steps' }
type Skill = keyof typeof skills
const can = (row: ModelRow, skill: Skill) => row.capabilities[skill] === true

const uses = ['generate', 'embed', 'image', 'transcribe', 'speak', 'rerank', 'moderate', 'search', 'realtime', 'video'] as const

/** `/models` */
export function ModelsPage() {
  const { user } = useSession()
  const url = useUrlState()
  const group = () => url.get('group') || user().group
  const groups = createLoad(
    () => '/api/groups',
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  const sort = (): Sort => {
    const text = url.get('sort') || 'id'
    return { column: text.replace('-', ''), down: text.startsWith('-') }
  }
  const wanted = () => modelSkills.filter((skill) => url.get('can').split(',').includes(skill))
  const models = createPages<ModelRow>(() => {
    const [q, operation, sort] = ['q', 'use', 'sort'].map((name) => url.get(name))
    return `/api/models?${queryOf({ limit: '100', group: group(), q, operation, can: wanted().join(','), sort })}`
  })
  const ratio = () => groups.value()?.find((row) => row.name === group())?.ratio ?? '1'
  const toggle = (skill: Skill) =>
    url.set({ can: modelSkills.filter((one) => wanted().includes(one) !== (one === skill)).join(',') }, { replace: true })
  const useText = () => uses.filter((use) => use === url.get('use')).map((use) => t(use))
  const filters = () => [url.get('q'), ...useText(), ...wanted().map((skill) => t(skill))].filter(Boolean).join(', ')
  // Exactly: prices have nine places, ratios six.
  const own = (usd: string) => `$${formatPrice(formatDecimal(parseDecimal(usd, 9) * parseDecimal(ratio(), 6), 15))}`
  const price = (row: ModelRow, field: 'input' | 'output' | 'cacheRead') => {
    const usd = row.price[field]
    return usd === undefined ? <span class="na">–</span> : own(usd)
  }
  const named = () => url.get('open')
  // A link may open a model that is not loaded yet, or that the filters hide.
  const sought = createLoad(
    () => (named() !== '' && models.value() && !models.value()?.some((row) => row.id === named()) ? [named(), group()] : undefined),
    async ([q, group], signal) => {
      const { data } = await callApi<PageOf<ModelRow>>('GET', `/api/models?${queryOf({ limit: '200', group, q })}`, undefined, signal)
      return data.find((row) => row.id === q)
    },
  )
  const open = () => [...(models.value() ?? []), sought.value()].find((row) => row?.id === named())
  const move = (by: number) => {
    const rows = models.value() ?? []
    const at = rows.findIndex((row) => row.id === named())
    const next = at < 0 ? undefined : rows[at + by]
    return next && (() => url.set({ open: next.id }, { replace: true }))
  }
  return (
    <Page
      title={t('title')}
      actions={
        <a class="btn ghost" href="/docs?page=models">
          {t('docs')}
        </a>
      }
      aside={
        <Show when={open()} keyed>
          {(row) => (
            <ModelDrawer
              row={row}
              group={group()}
              ratio={ratio()}
              own={own}
              onClose={() => url.set({ open: '' })}
              onPrevious={move(-1)}
              onNext={move(1)}
            />
          )}
        </Show>
      }
    >
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
        <For each={modelSkills}>
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
      <Loaded of={models}>
        <DataTable
          label={t('title')}
          view="models"
          rows={models.value()}
          rowId={(row) => row.id}
          selected={named()}
          stale={models.loading()}
          sort={sort()}
          onSort={({ column, down }) => url.set({ sort: `${down ? '-' : ''}${column}` }, { replace: true })}
          columns={[
            {
              id: 'id',
              label: t('model'),
              sorts: true,
              card: 'title',
              cell: (row) => <ShortName name={row.id} href={url.href({ open: row.id })} />,
            },
            {
              id: 'abilities',
              label: t('abilities'),
              cell: (row) => (
                <span class="block min-w-[14ch] max-w-[44ch] whitespace-normal text-ink-2">
                  {[
                    ...row.operations.filter((one) => uses.some((use) => use === one)).map((one) => t(one as 'generate')),
                    ...modelSkills.filter((skill) => can(row, skill)).map((skill) => t(skill)),
                  ].join(', ')}
                </span>
              ),
            },
            {
              id: 'contextTokens',
              label: t('context'),
              sorts: true,
              right: true,
              cell: (row) => (row.contextTokens === null ? <span class="na">–</span> : formatCompact(row.contextTokens)),
            },
            {
              id: 'maxOutputTokens',
              label: t('most'),
              sorts: true,
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
              cell: (row) => (
                <span class="text-ink-2" title={row.dialects.join(', ')}>
                  {row.dialects.length === dialects.length ? t('protocolsAll') : row.dialects.join(', ')}
                </span>
              ),
            },
            { id: 'input', label: t('input'), sorts: true, right: true, cell: (row) => price(row, 'input') },
            { id: 'output', label: t('output'), sorts: true, right: true, cell: (row) => price(row, 'output') },
            { id: 'cacheRead', label: t('cacheRead'), sorts: true, right: true, wide: true, cell: (row) => price(row, 'cacheRead') },
            {
              id: 'also',
              label: t('also'),
              cell: (row) => {
                const text = alsoCosts(row.price, own)
                return text && <span class="block min-w-[14ch] whitespace-normal text-ink-2">{text}</span>
              },
            },
            {
              id: 'priceChangedAt',
              label: t('priceChanged'),
              extra: true,
              card: 'none',
              cell: (row) => (row.priceChangedAt === null ? <span class="na">–</span> : <Instant at={row.priceChangedAt} />),
            },
          ]}
          empty={
            <Show when={filters()} fallback={<Empty title={t('empty')}>{t('emptyWhy')}</Empty>}>
              {(names) => <NoMatch filters={names()} onClear={() => url.set({ q: '', use: '', can: '' })} />}
            </Show>
          }
          foot={t('count', { count: models.value()?.length ?? 0 }) + (models.more() ? '+' : '')}
          footEnd={t('units', { ratio: ratio(), group: group() })}
          more={models.more()}
        />
      </Loaded>
    </Page>
  )
}
