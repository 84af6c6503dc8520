// Nest must be evaluated before the CommonJS throttler asks for it (docs/decisions/0001).
import 'reflect-metadata';
import '@nestjs/common';
import '@nestjs/core';
