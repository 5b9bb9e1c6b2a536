/** The palette: a combobox over the page. Arrow keys move, Enter opens, Escape closes and restores the focus. */
import { Dialog } from '@kobalte/core/dialog'
import { useNavigate } from '@solidjs/router'
import { createEffect, createMemo, createSignal, For, on, Show } from 'solid-js'
import { useSession } from '#client/api/session.ts'
import { rememberOpener } from '#client/ui/browser-state.ts'
import { IconButton } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { t } from './messages.ts'
import './palette.css'
import { localEntries, type PaletteEntry } from './palette-entries.ts'
import { createSearch } from './palette-search.ts'

/** The open palette. `begun` is called once the field has the focus, and returns what was typed until then. */
export function Palette(props: { begun(): string; onClose(): void }) {
  const { admin } = useSession()
  const navigate = useNavigate()
  const restoreFocus = rememberOpener()
  const [text, setText] = createSignal('')
  const [active, setActive] = createSignal(0)
  let list: HTMLDivElement | undefined
  const found = createSearch(text)
  const entries = createMemo(() => [...found(), ...localEntries(text(), admin())])
  const sections = createMemo(() => [...new Set(entries().map((entry) => entry.section))])
  createEffect(on(entries, () => setActive(0)))
  const move = (by: number) => {
    const count = entries().length
    if (count === 0) return
    setActive((active() + by + count) % count)
    list?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }
  const go = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return
    props.onClose()
    if (entry.href !== undefined) navigate(entry.href)
    else entry.run?.()
  }
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      move(step)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      go(entries()[active()])
    }
  }
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay class="scrim" />
        <Dialog.Content class="palette" onCloseAutoFocus={restoreFocus}>
          <Dialog.Title class="hidden-text">{t('palette')}</Dialog.Title>
          <div class="palette-field">
            <Icon name="search" />
            <input
              role="combobox"
              aria-label={t('palette')}
              aria-expanded="true"
              aria-controls="palette-list"
              aria-activedescendant={entries().length > 0 ? `palette-${active()}` : undefined}
              placeholder={t('paletteHint')}
              autocomplete="off"
              spellcheck={false}
              value={text()}
              onInput={(event) => setText(event.currentTarget.value)}
              onFocus={() => setText(text() + props.begun())}
              onKeyDown={press}
            />
            <kbd>Esc</kbd>
            <span class="palette-close">
              <IconButton name="x" label={t('close')} onClick={() => props.onClose()} />
            </span>
          </div>
          <div class="palette-list" id="palette-list" role="listbox" aria-label={t('palette')} ref={list}>
            <For each={sections()}>
              {(section) => (
                // biome-ignore lint/a11y/useSemanticElements: a group of options, which a fieldset is not
                <div role="group" aria-label={section}>
                  <div role="presentation">{section}</div>
                  <For each={entries().filter((entry) => entry.section === section)}>
                    {(entry) => <Row entry={entry} at={entries().indexOf(entry)} active={active()} onGo={() => go(entry)} />}
                  </For>
                </div>
              )}
            </For>
          </div>
          <Show when={entries().length === 0}>
            <p class="px-4 pb-4 text-[13px] text-ink-2" role="status">
              {found.searching() ? t('searching') : t('nothing', { text: text() })}
            </p>
          </Show>
          <div class="palette-foot" aria-hidden="true">
            <span>
              <kbd>↑</kbd> <kbd>↓</kbd> {t('move')}
            </span>
            <span>
              <kbd>Enter</kbd> {t('open')}
            </span>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog>
  )
}

function Row(props: { entry: PaletteEntry; at: number; active: number; onGo(): void }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the combobox has the focus and handles the keys
    <div
      class="palette-row"
      role="option"
      tabindex="-1"
      id={`palette-${props.at}`}
      aria-selected={props.at === props.active}
      onClick={() => props.onGo()}
    >
      <Icon name={props.entry.icon} />
      <span class="min-w-0 truncate">{props.entry.label}</span>
      <Show when={props.entry.note}>
        <small>{props.entry.note}</small>
      </Show>
    </div>
  )
}
