import { createMemo, createSignal, For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { type CatalogueEntry, changedFields, findEntry, providersOf, readCatalogue } from '#shared/catalogue-file'
import type { CatalogueRow } from '#shared/console/inspection/catalogue'
import type { PriceEffect, PriceFields, PriceRow } from '#shared/console/price'
import { formatUsd, parseUsd } from '#shared/money'
import { readEffect } from './effect-part.tsx'
import { t } from './messages.ts'
import './prices.css'

/** At most so many models are compared. */
const mostModels = 20_000

interface Proposal {
  row: CatalogueRow
  entry: CatalogueEntry
  changes: ReturnType<typeof changedFields>
}

/** Imports prices from a catalogue file, pasted or dropped: the changes are reviewed before anything is written. */
export function ImportDialog(props: { onDone(count: number): void; onClose(): void }) {
  const catalogue = createLoad(
    () => '/api/catalogue',
    async (path, signal) => (await readAll<CatalogueRow>(path, signal, mostModels)).sort((a, b) => a.model.localeCompare(b.model)),
  )
  const [text, setText] = createSignal('')
  const [left, setLeft] = createSignal<ReadonlySet<string>>(new Set())
  const [done, setDone] = createSignal(0)
  const write = createWrite()
  const entries = createMemo(() => (text().trim() === '' ? undefined : readCatalogue(text())))
  const proposals = createMemo((): Proposal[] =>
    (catalogue.value() ?? []).flatMap((row) => {
      const vendors = row.channels.map(({ vendor }) => vendor)
      const entry = findEntry(entries() ?? [], row.model, vendors.flatMap(providersOf))
      const changes = entry ? changedFields(row.price ?? undefined, entry.price) : []
      return entry && changes.length > 0 && row.price?.managed !== 'file' ? [{ row, entry, changes }] : []
    }),
  )
  const chosen = () => proposals().filter(({ row }) => !left().has(row.model))
  const after = ({ row, entry }: Proposal): PriceFields => {
    const { managed: _, ...before } = row.price ?? { managed: 'console' }
    return { ...before, ...entry.price }
  }
  const trial = () => {
    // A price of an unused model has no effect.
    const used = chosen().filter(({ row }) => row.week !== null)
    return used.length === 0 ? undefined : Object.fromEntries(used.map((one) => [one.row.model, after(one)]))
  }
  const effect = createLoad(trial, readEffect)
  const sums = () => {
    const data = trial() && effect.value()?.data.filter(({ requests }) => requests > 0)
    const add = (of: (one: PriceEffect) => string) => formatUsd((data ?? []).reduce((all, one) => all + parseUsd(of(one)), 0n))
    if (!data?.length) return undefined
    const isExact = data.every(({ basis }) => basis === 'requests')
    return { before: add((one) => one.before ?? one.cost), after: add((one) => one.after), isExact }
  }
  const toggle = (model: string) => {
    const next = new Set(left())
    if (!next.delete(model)) next.add(model)
    setLeft(next)
  }
  const apply = async () => {
    let count = 0
    for (const proposal of chosen()) {
      const path = `/api/prices/${encodeURIComponent(proposal.row.model)}`
      if (!(await write.run(() => callApi<PriceRow>('PUT', path, after(proposal))))) break
      count += 1
      setDone(count)
    }
    if (write.error() === undefined) props.onDone(count)
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
      wide
      title={t('importTitle')}
      intro={t('importIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button
            look="primary"
            busy={write.busy()}
            aria-disabled={chosen().length === 0 ? 'true' : undefined}
            onClick={() => chosen().length > 0 && void apply()}
          >
            {t('importGo', { count: chosen().length })}
          </Button>
        </>
      }
    >
      <textarea
        class="in font-mono text-[12px]!"
        rows={entries() ? 2 : 8}
        spellcheck={false}
        aria-label={t('importField')}
        placeholder={t('importField')}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onDrop={(event) => void drop(event)}
      />
      <Show when={text().trim() !== '' && entries() === undefined}>
        <p class="wrong mt-1.5">{t('importRefused')}</p>
      </Show>
      <Show when={catalogue.error()}>{(error) => <p class="notice bad mt-3">{explain(error())}</p>}</Show>
      <Show when={entries() && catalogue.value()}>
        <Show when={proposals().length > 0} fallback={<p class="mt-3 text-[13px] text-ink-2">{t('importNothing')}</p>}>
          <ul class="proposals" aria-label={t('importReview')}>
            <For each={proposals()}>
              {(one) => <ProposalRow proposal={one} on={!left().has(one.row.model)} onToggle={() => toggle(one.row.model)} />}
            </For>
          </ul>
          <Show when={sums()}>
            {(both) => (
              <p class="mt-3 text-[13px]">
                {t('importEffect', { before: formatMoney(both().before), after: formatMoney(both().after) })}
                <Show when={!both().isExact}> {t('importSums')}</Show>
              </p>
            )}
          </Show>
        </Show>
      </Show>
      <Show when={write.error()}>
        {(error) => <p class="notice bad mt-3">{`${t('importStopped', { count: done() })} ${explain(error())}`}</p>}
      </Show>
    </Dialog>
  )
}

function ProposalRow(props: { proposal: Proposal; on: boolean; onToggle(): void }) {
  const name = () => props.proposal.row.model
  return (
    <li classList={{ off: !props.on }}>
      <label>
        <input type="checkbox" checked={props.on} onChange={() => props.onToggle()} />
        <b class="font-medium">{name()}</b>
        <span class="hint">{props.proposal.entry.provider}</span>
      </label>
      <span class="num text-[13px]">
        <For each={props.proposal.changes}>
          {(change) => (
            <span class="inline-block pr-4">
              {t(change.field)}{' '}
              <Show when={change.from}>
                <s class="text-ink-3">{change.from}</s> →{' '}
              </Show>
              <b class="font-medium">{change.to}</b>
            </span>
          )}
        </For>
      </span>
    </li>
  )
}
