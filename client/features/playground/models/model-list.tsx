import { createEffect, createMemo, createSignal, createUniqueId, For, Show } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import { formatCompact, formatPrice } from '#client/ui/format.ts'
import { Icon, type IconName } from '#client/ui/icon.tsx'
import type { GroupRow } from '#shared/console/group'
import type { ModelRow } from '#shared/console/model'
import { type Ability, abilities, filterModels, hasAbility } from './model-filter.ts'

const look: Record<Ability, IconName> = { vision: 'eye', tools: 'tool', reasoning: 'steps' }

interface ListProps {
  rows: ModelRow[]
  chosen: string | null
  group: GroupRow | undefined
  note?: string | undefined
  onChoose(model: string): void
}

/** The list of models: search, ability filters, and rows with what matters for choosing. */
export function ModelList(props: ListProps) {
  const id = createUniqueId()
  const [search, setSearch] = createSignal('')
  const [wanted, setWanted] = createSignal<ReadonlySet<Ability>>(new Set())
  const shown = createMemo(() => filterModels(props.rows, search(), wanted()))
  const [active, setActive] = createSignal(0)
  createEffect(() =>
    setActive(
      Math.max(
        0,
        shown().findIndex((row) => row.id === props.chosen),
      ),
    ),
  )

  const move = (to: number) => {
    setActive(Math.min(Math.max(to, 0), shown().length - 1))
    document.getElementById(`${id}-${active()}`)?.scrollIntoView({ block: 'nearest' })
  }
  const onKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: active() + 1, ArrowUp: active() - 1, PageDown: active() + 8, PageUp: active() - 8 }
    const to = steps[event.key]
    if (to !== undefined) {
      event.preventDefault()
      move(to)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const row = shown()[active()]
      if (row) props.onChoose(row.id)
    }
  }
  const toggle = (ability: Ability) =>
    setWanted((before) => {
      const after = new Set(before)
      if (!after.delete(ability)) after.add(ability)
      return after
    })

  return (
    <>
      <div class="flex flex-wrap items-center gap-2 border-b border-line p-2 pl-4">
        <Icon name="search" />
        <input
          class="h-8 min-w-[120px] flex-1 bg-transparent text-[14px] outline-0"
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={shown().length > 0 ? `${id}-${active()}` : undefined}
          aria-label={t('searchModels', { count: props.rows.length })}
          placeholder={t('searchModels', { count: props.rows.length })}
          autocomplete="off"
          spellcheck={false}
          value={search()}
          onInput={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <Show when={props.rows.some((row) => abilities.some((ability) => hasAbility(row, ability)))}>
          <div class="flex gap-1.5 max-[480px]:hidden">
            <For each={abilities}>
              {(ability) => (
                <button type="button" class="chip" aria-pressed={wanted().has(ability)} onClick={() => toggle(ability)}>
                  <Icon name={look[ability]} /> {t(ability)}
                </button>
              )}
            </For>
          </div>
        </Show>
      </div>
      <Show when={props.note}>
        <p class="border-b border-line bg-bg px-4 py-2 text-[12px]/[16px] text-ink-2">{props.note}</p>
      </Show>
      <div class="models-head" aria-hidden="true">
        <span>{t('model')}</span>
        <span class="max-[480px]:hidden">{t('canDo')}</span>
        <span class="max-[480px]:hidden">{t('context')}</span>
        <span>{t('priceIn')}</span>
        <span>{t('priceOut')}</span>
        <span />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label={t('models')} class="max-h-[360px] min-h-[92px] overflow-auto px-1.5 pb-1.5">
        <For each={shown()} fallback={<p class="p-4 text-[13px] text-ink-3">{props.rows.length === 0 ? t('noModels') : t('noMatch')}</p>}>
          {(row, index) => (
            <ModelOption
              row={row}
              id={`${id}-${index()}`}
              active={index() === active()}
              chosen={row.id === props.chosen}
              onHover={() => setActive(index())}
              onChoose={() => props.onChoose(row.id)}
            />
          )}
        </For>
      </div>
      <footer class="flex items-center gap-4 rounded-b-card border-t border-line bg-bg px-4 py-2.5 text-[12px]/[16px] text-ink-3">
        <Show when={props.group}>
          {(group) => <span class="flex-1">{t('pricesFor', { group: group().name, ratio: group().ratio })}</span>}
        </Show>
        <span class="max-[759px]:hidden">
          <kbd>↑</kbd> <kbd>↓</kbd> {t('move')} <kbd>Enter</kbd> {t('pick')} <kbd>Esc</kbd> {t('close')}
        </span>
      </footer>
    </>
  )
}

function ModelOption(props: { row: ModelRow; id: string; active: boolean; chosen: boolean; onHover(): void; onChoose(): void }) {
  const able = () => abilities.filter((ability) => hasAbility(props.row, ability))
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search box above works the list by keyboard (aria-activedescendant)
    // biome-ignore lint/a11y/useFocusableInteractive: the same
    <div
      id={props.id}
      role="option"
      class="models-row"
      aria-selected={props.chosen}
      data-active={props.active ? '' : undefined}
      onPointerMove={props.onHover}
      onClick={props.onChoose}
    >
      <span class="min-w-0">
        <b class="block truncate font-medium">{props.row.id}</b>
        <Show when={Number(props.row.price.input) === 0 && Number(props.row.price.output) === 0}>
          <span class="hint">{t('free')}</span>
        </Show>
      </span>
      <span class="flex gap-2 text-ink-3 max-[480px]:hidden">
        <For each={able()}>
          {(ability) => (
            <>
              <Icon name={look[ability]} />
              <span class="hidden-text">{t(ability)}</span>
            </>
          )}
        </For>
      </span>
      <span class="num text-ink-2 max-[480px]:hidden">
        {props.row.contextTokens === null ? '–' : formatCompact(props.row.contextTokens)}
      </span>
      <span class="num">{formatPrice(props.row.price.input)}</span>
      <span class="num">{formatPrice(props.row.price.output)}</span>
      <span class="text-accent">
        <Show when={props.chosen}>
          <Icon name="check" />
        </Show>
      </span>
    </div>
  )
}
