/** Title, the fixed model, and the doors to everything beside the conversation. */
import { Show } from 'solid-js'
import { Button, IconButton } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { createMedia } from '#client/ui/media.ts'
import { Menu, MenuItem } from '#client/ui/menu.tsx'
import type { Bench } from './bench.ts'
import { say } from './words.ts'

export function TopBar(props: { bench: Bench; title: string; hasSide: boolean }) {
  const { desk, view } = props.bench
  const roomy = createMedia('(min-width: 900px)')
  const system = () => desk.conversation().settings.system.trim()
  return (
    <header class="top">
      <Show when={!props.hasSide}>
        <IconButton name="menu" label={say('conversations')} onClick={() => view.setListOpen(true)} />
      </Show>
      <h1>{props.title}</h1>
      <Show when={roomy() && desk.fixed() && desk.asked()}>
        {(asked) => (
          <span class="fixed-model">
            <span aria-hidden="true">·</span>
            <Icon name="lock" small />
            <span class="truncate">{say('modelInGroup', { ...asked() })}</span>
          </span>
        )}
      </Show>
      <Show when={roomy() && system() !== ''}>
        <button type="button" class="bdg accent" title={system()} onClick={() => view.setPanel('parameters')}>
          {say('systemSet')}
        </button>
      </Show>
      <span class="flex-1" />
      <Show when={roomy()}>
        <Button look="ghost" size="sm" icon="columns" aria-pressed={view.comparing()} onClick={() => view.setComparing(!view.comparing())}>
          {say('compare')}
        </Button>
        <Button look="ghost" size="sm" icon="code" onClick={() => view.setDialog('code')}>
          {say('code')}
        </Button>
      </Show>
      <IconButton name="pulse" label={say('inspector')} aria-pressed={view.panel() === 'inspector'} onClick={() => view.togglePanel('inspector')} />
      <IconButton
        name="sliders"
        label={say('parameters')}
        aria-pressed={view.panel() === 'parameters'}
        onClick={() => view.togglePanel('parameters')}
      />
      <Menu label={say('more')} icon="more">
        <Show when={!roomy()}>
          <MenuItem icon="columns" onSelect={() => view.setComparing(!view.comparing())}>
            {say('compare')}
          </MenuItem>
          <MenuItem icon="code" onSelect={() => view.setDialog('code')}>
            {say('viewCode')}
          </MenuItem>
        </Show>
        <MenuItem icon="plus" onSelect={() => desk.open(null)}>
          {say('newChat')}
        </MenuItem>
        <MenuItem icon="text" onSelect={() => view.setDialog('templates')}>
          {say('templates')}
        </MenuItem>
        <MenuItem icon="list" onSelect={() => view.setDialog('shortcuts')}>
          {say('shortcuts')}
        </MenuItem>
      </Menu>
    </header>
  )
}
