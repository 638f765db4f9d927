import './styles/tokens.css';
import './styles/base.css';

import { mount } from 'svelte';

import App from './App.svelte';

async function start(): Promise<void> {
  // Replaced by a constant when building: the ordinary build holds no scenario.
  if (import.meta.env.MODE === 'mock') await (await import('./mocks/install')).fromAddress();
  const target = document.getElementById('app');
  if (target !== null) mount(App, { target });
}

void start();
