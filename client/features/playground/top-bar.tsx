import { Show } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { createMediaQuery } from '#client/ui/browser-state.ts'
import { Button, IconButton } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { Menu, type MenuEntry } from '#client/ui/menu.tsx'

/** Title, the locked model, and the buttons for panels and dialogs. */
export function TopBar(props: { page: PageContext; title: string; hasSide: boolean }) {
  const { playground, view } = props.page
  const roomy = createMediaQuery('(min-width: 900px)')
  const system = () => playground.conversation().settings.system.trim()
  const toggleCompare = () => view.setComparing(!view.comparing())
  const items = (): MenuEntry[] => [
    ...(roomy()
      ? []
      : [
          { kind: 'item' as const, icon: 'columns' as const, label: t('compare'), onSelect: toggleCompare },
          { kind: 'item' as const, icon: 'code' as const, label: t('viewCode'), onSelect: () => view.setDialog('code') },
        ]),
    { kind: 'item', icon: 'plus', label: t('newChat'), onSelect: () => playground.open(null) },
    { kind: 'item', icon: 'text', label: t('templates'), onSelect: () => view.setDialog('templates') },
    { kind: 'item', icon: 'list', label: t('shortcuts'), onSelect: () => view.setDialog('shortcuts') },
  ]
  return (
    <header class="top">
      <Show when={!props.hasSide}>
        <IconButton name="menu" label={t('conversations')} onClick={() => view.setListOpen(true)} />
      </Show>
      <h1>{props.title}</h1>
      <Show when={roomy() && playground.modelLocked() && playground.target()}>
        {(asked) => (
          <span class="fixed-model">
            <span aria-hidden="true">·</span>
            <Icon name="lock" small />
            <span class="truncate">{t('modelInGroup', { ...asked() })}</span>
          </span>
        )}
      </Show>
      <Show when={roomy() && system() !== ''}>
        <button type="button" class="bdg accent" title={system()} onClick={() => view.setPanel('parameters')}>
          {t('systemSet')}
        </button>
      </Show>
      <span class="flex-1" />
      <Show when={roomy()}>
        <Button look="ghost" size="sm" icon="columns" aria-pressed={view.comparing()} onClick={toggleCompare}>
          {t('compare')}
        </Button>
        <Button look="ghost" size="sm" icon="code" onClick={() => view.setDialog('code')}>
          {t('code')}
        </Button>
      </Show>
      <IconButton
        name="pulse"
        label={t('inspector')}
        aria-pressed={view.panel() === 'inspector'}
        onClick={() => view.togglePanel('inspector')}
      />
      <IconButton
        name="sliders"
        label={t('parameters')}
        aria-pressed={view.panel() === 'parameters'}
        onClick={() => view.togglePanel('parameters')}
      />
      <Menu label={t('more')} icon="more" items={items} />
    </header>
  )
}
