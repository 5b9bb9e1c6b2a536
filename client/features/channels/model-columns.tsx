import { Match, Show, Switch } from 'solid-js'
import { ts } from '#client/console/messages.ts'
import { tc } from '#client/ui/console/messages.ts'
import type { Column } from '#client/ui/console/table.tsx'
import { Menu } from '#client/ui/menu.tsx'
import { t } from './messages.ts'
import type { ModelLine } from './model-rows.ts'
import { TestResult } from './testing/test-result.tsx'
import type { Test } from './testing/tests.ts'

interface Parts {
  readonly: boolean
  /** Whether the server knows it, so that it can be tested. */
  isSaved(line: ModelLine): boolean
  /** Its capabilities as text; undefined if unknown. */
  can(line: ModelLine): string | undefined
  /** Undefined until known. */
  isPriced(line: ModelLine): boolean | undefined
  test(line: ModelLine): Test | undefined
  /** Shows the result of its test. */
  onOpen(line: ModelLine): void
  onOffer(line: ModelLine, offered: boolean): void
  onTest(line: ModelLine): void
  onRename(line: ModelLine): void
  onRemove(line: ModelLine): void
}

/** The columns of the models of a channel. */
export function modelColumns(parts: Parts): Column<ModelLine>[] {
  const items = (line: ModelLine) => [
    ...(parts.isSaved(line)
      ? [{ kind: 'item' as const, icon: 'pulse' as const, label: t('test'), onSelect: () => parts.onTest(line) }]
      : []),
    ...(line.model === undefined || parts.readonly
      ? []
      : [
          { kind: 'item' as const, icon: 'edit' as const, label: t('rename'), onSelect: () => parts.onRename(line) },
          { kind: 'item' as const, icon: 'trash' as const, label: tc('remove'), onSelect: () => parts.onRemove(line) },
        ]),
  ]
  return [
    {
      id: 'offered',
      label: t('offer'),
      bare: true,
      card: 'lead',
      cell: (line) => (
        <label class="pick">
          <input
            type="checkbox"
            aria-label={t('offerModel', { name: line.name })}
            checked={line.offered}
            disabled={parts.readonly}
            onChange={(event) => parts.onOffer(line, event.currentTarget.checked)}
          />
        </label>
      ),
    },
    {
      id: 'model',
      label: t('model'),
      card: 'title',
      cell: (line) => (
        <span class="block min-w-0 max-w-[420px]">
          <b class="mono block truncate" title={line.name}>
            {line.name}
          </b>
          <Show when={line.upstream !== line.name}>
            <small class="truncate">{t('askedAs', { name: line.upstream })}</small>
          </Show>
        </span>
      ),
    },
    { id: 'change', label: t('change_'), card: 'whole', cell: (line) => <Change line={line} /> },
    {
      id: 'can',
      label: ts('can'),
      wide: true,
      cell: (line) => (
        <Show when={parts.can(line)} fallback={<span class="na">–</span>}>
          {(words) => <span class="text-ink-2">{words()}</span>}
        </Show>
      ),
    },
    {
      id: 'price',
      label: t('price'),
      cell: (line) => (
        <Switch fallback={<span class="na">–</span>}>
          <Match when={line.offered && parts.isPriced(line) === false}>
            <a class="text-warn!" href={`/admin/prices?open=${encodeURIComponent(line.name)}`}>
              {t('noPrice')}
            </a>
          </Match>
          <Match when={parts.isPriced(line)}>
            <a href={`/admin/prices?open=${encodeURIComponent(line.name)}`}>{t('hasPrice')}</a>
          </Match>
        </Switch>
      ),
    },
    {
      id: 'test',
      label: t('test'),
      cell: (line) => (
        <Show when={parts.test(line)} fallback={<span class="na">{line.offered ? '–' : t('notOffered')}</span>}>
          {(test) => <TestResult name={line.name} test={test()} onOpen={() => parts.onOpen(line)} />}
        </Show>
      ),
    },
    {
      id: 'actions',
      label: t('actions'),
      bare: true,
      right: true,
      card: 'figure',
      cell: (line) => (
        <Show when={items(line).length > 0}>
          <Menu label={tc('moreOf', { name: line.name })} icon="more" items={() => items(line)} />
        </Show>
      ),
    },
  ]
}

function Change(props: { line: ModelLine }) {
  return (
    <Switch fallback={<span class="na">–</span>}>
      <Match when={props.line.change === 'new'}>
        <span class="bdg accent">{t('new')}</span>
      </Match>
      <Match when={props.line.change === 'gone'}>
        <span class="bdg warn">{t('gone')}</span>
      </Match>
    </Switch>
  )
}
