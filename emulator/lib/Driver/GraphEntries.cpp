//===- GraphEntries.cpp ---------------------------------------------------===//
#include "Functions.h"
#include "GraphMemory.h"
#include "Process.h"

#include <algorithm>

namespace cheems::emulator::driver {
namespace {

/// Graphs that are being captured into are not to be changed otherwise.
void requireNoCapture(const Graph &graph) {
  for (const auto &weak : process().captures) {
    auto capture = weak.lock();
    require(!capture || capture->graph.get() != &graph,
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
}

/// The API's way to give a list: how many there are if `to` is null; else as
/// many as fit, null after them, and how many were given.
void give(const std::vector<CUgraphNode> &nodes, CUgraphNode *to,
          size_t *count) {
  require(count);
  if (!to) {
    *count = nodes.size();
    return;
  }
  size_t given = std::min(*count, nodes.size());
  std::copy_n(nodes.begin(), given, to);
  std::fill(to + given, to + *count, nullptr);
  *count = given;
}

void giveEdges(const std::vector<Edge> &edges, CUgraphNode *nodes,
               CUgraphEdgeData *data, size_t *count) {
  require(count);
  std::vector<CUgraphNode> handles;
  for (const Edge &edge : edges) {
    handles.push_back(edge.node->handle);
    // Callers without a place for data would lose it.
    require(!nodes || data || !edge.isProgrammatic(), CUDA_ERROR_LOSSY_QUERY);
  }
  if (nodes && data) {
    for (size_t i = 0; i < std::min(*count, edges.size()); ++i) {
      data[i] = edges[i].data;
    }
  }
  give(handles, nodes, count);
}

CUresult edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
               CUgraphEdgeData *data, size_t *count) {
  return call([&] {
    auto found = findGraph(graph);
    require(count && !from == !to);
    size_t number = 0, most = *count;
    for (const auto &node : found->nodes) {
      for (const Edge &edge : node->after) {
        if (from && number < most) {
          require(data || !edge.isProgrammatic(), CUDA_ERROR_LOSSY_QUERY);
          from[number] = node->handle;
          to[number] = edge.node->handle;
          if (data) {
            data[number] = edge.data;
          }
        }
        ++number;
      }
    }
    if (from) {
      std::fill(from + std::min(number, most), from + most, nullptr);
      std::fill(to + std::min(number, most), to + most, nullptr);
    }
    *count = from ? std::min(number, most) : number;
  });
}

CUresult change(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                const CUgraphEdgeData *data, size_t count, bool adds) {
  return call([&] {
    auto found = findGraph(graph);
    requireNoCapture(*found);
    require(count == 0 || (from && to));
    for (size_t i = 0; i < count; ++i) {
      Node &source = findNode(from[i]), &target = findNode(to[i]);
      require(source.graph == found.get() && target.graph == found.get());
      require(&source != &target);
      bool isThere =
          std::any_of(target.before.begin(), target.before.end(),
                      [&](const Edge &edge) { return edge.node == &source; });
      require(isThere != adds);
      if (adds) {
        found->addEdge(source, target, data ? data[i] : CUgraphEdgeData{});
        if (found->inOrder().empty()) { // it closes a cycle
          found->removeEdge(source, target);
          fail(CUDA_ERROR_INVALID_VALUE);
        }
      } else {
        refuseMemoryNodes(*found);
        found->removeEdge(source, target);
      }
    }
  });
}

} // namespace

CUresult cuGraphCreate(CUgraph *result, unsigned flags) {
  return call([&] {
    require(result && flags == 0);
    auto graph = std::make_shared<Graph>();
    graph->handle = process().graphs.add(graph);
    *result = graph->handle;
  });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return call([&] {
    auto found = findGraph(graph);
    requireNoCapture(*found);
    process().graphs.remove(graph);
  });
}

CUresult cuGraphClone(CUgraph *graphClone, CUgraph originalGraph) {
  return call([&] {
    require(graphClone);
    refuseMemoryNodes(*findGraph(originalGraph));
    auto copy = findGraph(originalGraph)->clone(true);
    copy->handle = process().graphs.add(copy);
    *graphClone = copy->handle;
  });
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *numNodes) {
  return call([&] {
    std::vector<CUgraphNode> handles;
    for (const auto &node : findGraph(graph)->nodes) {
      handles.push_back(node->handle);
    }
    give(handles, nodes, numNodes);
  });
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *rootNodes,
                             size_t *numRootNodes) {
  return call([&] {
    std::vector<CUgraphNode> handles;
    for (const auto &node : findGraph(graph)->nodes) {
      if (node->before.empty()) {
        handles.push_back(node->handle);
      }
    }
    give(handles, rootNodes, numRootNodes);
  });
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                         size_t *numEdges) {
  return edges(graph, from, to, nullptr, numEdges);
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *edgeData, size_t *numEdges) {
  return edges(graph, from, to, edgeData, numEdges);
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                const CUgraphNode *to, size_t numDependencies) {
  return change(graph, from, to, nullptr, numDependencies, true);
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                   const CUgraphNode *to,
                                   const CUgraphEdgeData *edgeData,
                                   size_t numDependencies) {
  return change(graph, from, to, edgeData, numDependencies, true);
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                   const CUgraphNode *to,
                                   size_t numDependencies) {
  return change(graph, from, to, nullptr, numDependencies, false);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                      const CUgraphNode *to,
                                      const CUgraphEdgeData *edgeData,
                                      size_t numDependencies) {
  return change(graph, from, to, edgeData, numDependencies, false);
}

CUresult cuGraphDestroyNode(CUgraphNode node) {
  return call([&] {
    Node &found = findNode(node);
    requireNoCapture(*found.graph);
    refuseMemoryNodes(*found.graph);
    found.graph->remove(found);
  });
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
  return call([&] {
    require(type);
    *type = findNode(node).work->type();
  });
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *dependencies,
                                    size_t *numDependencies) {
  return call([&] {
    giveEdges(findNode(node).before, dependencies, nullptr, numDependencies);
  });
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node,
                                       CUgraphNode *dependencies,
                                       CUgraphEdgeData *edgeData,
                                       size_t *numDependencies) {
  return call([&] {
    giveEdges(findNode(node).before, dependencies, edgeData, numDependencies);
  });
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node,
                                      CUgraphNode *dependentNodes,
                                      size_t *numDependentNodes) {
  return call([&] {
    giveEdges(findNode(node).after, dependentNodes, nullptr, numDependentNodes);
  });
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node,
                                         CUgraphNode *dependentNodes,
                                         CUgraphEdgeData *edgeData,
                                         size_t *numDependentNodes) {
  return call([&] {
    giveEdges(findNode(node).after, dependentNodes, edgeData,
              numDependentNodes);
  });
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode originalNode,
                                CUgraph clonedGraph) {
  return call([&] {
    require(node);
    findNode(originalNode);
    for (const auto &copy : findGraph(clonedGraph)->nodes) {
      if (copy->original == originalNode) {
        *node = copy->handle;
        return;
      }
    }
    fail(CUDA_ERROR_INVALID_VALUE);
  });
}

} // namespace cheems::emulator::driver
